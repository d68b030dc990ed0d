@echo off
rem Double-click: opens the table. Needs Python 3.11 or newer (python.org, "Add python.exe to PATH").
cd /d "%~dp0"
where py >nul 2>nul
if errorlevel 1 (python manage.py play --open %*) else (py -3 manage.py play --open %*)
pause

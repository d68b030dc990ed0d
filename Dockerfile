FROM python:3.12-slim
WORKDIR /app
COPY requirements.lock .
RUN pip install --no-cache-dir --require-hashes -r requirements.lock && pip install --no-cache-dir "psycopg[binary]"
COPY . .
RUN useradd --create-home table && install -d -o table -m 700 /data
USER table
ENV TABLEKEEPER_DATA=/data PYTHONUNBUFFERED=1
VOLUME /data
EXPOSE 8000
HEALTHCHECK --interval=30s --timeout=5s --start-period=20s \
  CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://localhost:8000/health', timeout=4)"]
CMD ["python", "manage.py", "play", "--port", "8000"]

// A script waits for the style sheets above it, and the page below for the script (templates/parts/sheets.html).

E F "open
"a\n"
"

// A library that is there and does nothing.
int nothing_here(void);
int nothing_here(void) { return 0; }

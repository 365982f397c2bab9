/* static.c: a program that no library can be added to. */
int main(void) { return 0; }

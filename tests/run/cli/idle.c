// Ends at once, whatever it is linked with.
int main(void) { return 0; }

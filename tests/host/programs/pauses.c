/* Ranges that begin and end around and inside pauses. */
#include "include/perseid.h"

int main(void) {
  perseid_begin("before and after");
  perseid_begin("ends in the pause");
  perseid_pause();
  perseid_pause();
  perseid_instant("unseen");
  perseid_end();
  perseid_begin("begins in the pause");
  perseid_begin("unseen");
  perseid_end();
  perseid_resume();
  perseid_resume();
  perseid_instant("seen again");
  perseid_end();
  perseid_begin("after");
  perseid_end();
  perseid_end();
  perseid_end(); /* one too many */
  return 0;
}

! tests/run/openmp/programs/workshare.f90: a workshare construct of two statements.
program workshare
  integer :: a(1000), b(1000)
  b = 2
  !$omp parallel num_threads(3)
  !$omp workshare
  a = b + 1  ! at: first
  b = a * 2  ! at: second
  !$omp end workshare
  !$omp end parallel
  print *, sum(a), sum(b)
end program

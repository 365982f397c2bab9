! A ring of messages in Fortran. Prints "sent N".
program ring
  use mpi
  implicit none
  integer :: rank, ranks, error, i, sent, all_sent, request, status(MPI_STATUS_SIZE)
  double precision :: here, there
  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
  sent = 0
  here = rank
  do i = 1, 5
    call MPI_Irecv(there, 1, MPI_DOUBLE_PRECISION, modulo(rank - 1, ranks), i, MPI_COMM_WORLD, request, error)
    call MPI_Send(here, 1, MPI_DOUBLE_PRECISION, modulo(rank + 1, ranks), i, MPI_COMM_WORLD, error)
    sent = sent + 1
    call MPI_Wait(request, status, error)
  end do
  call MPI_Allreduce(sent, all_sent, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error)
  if (rank == 0) print '(a, i0)', 'sent ', all_sent
  call MPI_Finalize(error)
end program ring

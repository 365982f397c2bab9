! A ring of messages in Fortran. Prints "sent N".
program ring
  use mpi
  implicit none
  integer :: rank, ranks, error, i, sent, all_sent, request, status(MPI_STATUS_SIZE)
  integer :: message, requests(2), statuses(MPI_STATUS_SIZE, 2)
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
  call MPI_Recv_init(there, 1, MPI_DOUBLE_PRECISION, modulo(rank - 1, ranks), 6, MPI_COMM_WORLD, requests(1), error)
  call MPI_Send_init(here, 1, MPI_DOUBLE_PRECISION, modulo(rank + 1, ranks), 6, MPI_COMM_WORLD, requests(2), error)
  do i = 1, 3
    if (modulo(i, 2) == 0) then
      call MPI_Start(requests(1), error)
      call MPI_Start(requests(2), error)
    else
      call MPI_Startall(2, requests, error)
    end if
    sent = sent + 1
    call MPI_Waitall(2, requests, statuses, error)
  end do
  call MPI_Request_free(requests(1), error)
  call MPI_Request_free(requests(2), error)
  call MPI_Isend(here, 1, MPI_DOUBLE_PRECISION, modulo(rank + 1, ranks), 7, MPI_COMM_WORLD, request, error)
  sent = sent + 1
  call MPI_Mprobe(MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, message, status, error)
  call MPI_Mrecv(there, 1, MPI_DOUBLE_PRECISION, message, status, error)
  call MPI_Wait(request, status, error)
  call MPI_Allreduce(sent, all_sent, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error)
  if (rank == 0) print '(a, i0)', 'sent ', all_sent
  call MPI_Finalize(error)
end program ring

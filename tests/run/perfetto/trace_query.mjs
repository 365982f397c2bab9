// trace_query.mjs: where the tests look for the script behind `perseid query`.
import '../../../tools/perseid/trace_query.mjs';

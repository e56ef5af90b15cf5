package main

import (
	"slices"
	"strings"
)

// denied are functions that do more than read, or read more than the database;
// a name that ends in * is a beginning. They are one list for all dialects:
// none of them is an honest function in another one.
var denied = []string{
	// PostgreSQL: files, large objects, other servers, other sessions, SQL in text
	"pg_read_*", "pg_ls_*", "pg_stat_file", "pg_file_*", "pg_current_logfile", "lo_*", "lowrite", "loread", "dblink*", "crosstab*", "connectby", "pg_sleep*",
	"pg_terminate_backend", "pg_cancel_backend", "pg_reload_conf", "pg_rotate_logfile*", "pg_logical_*", "pg_replication_*", "pg_create_*", "pg_drop_*",
	"pg_copy_*", "pg_switch_*", "pg_promote", "pg_backup_*", "pg_start_backup", "pg_stop_backup", "pg_wal_replay_*", "pg_export_snapshot",
	"pg_import_system_collations", "pg_advisory_*", "pg_try_advisory_*", "pg_notify", "pg_stat_reset*", "pg_stat_statements_reset", "pg_log_*",
	"pg_prewarm", "pg_clear_*", "pg_restore_*", "pg_set_*", "pg_execute_*", "set_config", "nextval", "setval", "query_to_xml*", "cursor_to_xml*",
	"table_to_xml*", "schema_to_xml*", "database_to_xml*", "ts_stat", "ts_rewrite", "brin_*", "gin_clean_pending_list", "heap_force_*", "http",
	"http_*", "plpy*", "postgres_fdw_*", "binary_upgrade_*", "pg_extension_config_dump", "pg_nextoid", "pg_stop_making_pinned_objects", "pg_logdir_ls",
	"pg_truncate_*", "pg_buffercache_evict*", "autoprewarm_*", "xpath_table", "cron", "aws_s3", "aws_lambda", "lambda_*", "apoc", "drop_chunks",
	"create_hypertable", "create_distributed_table", "compress_chunk", "decompress_chunk", "add_data_node", "add_job", "run_job", "alter_job", "delete_job",
	"add_retention_policy", "add_compression_policy", "run_command_on_*", "addgeometrycolumn", "dropgeometry*", "updategeometrysrid",
	"populate_geometry_columns",
	// MySQL, MariaDB
	"load_file", "sleep", "benchmark", "sys_exec", "sys_eval", "sys_get", "sys_set", "lib_mysqludf_*", "get_lock", "release_lock", "release_all_locks",
	"master_pos_wait", "source_pos_wait", "spider_*", "group_replication_*", "asynchronous_connection_*", "keyring_*", "audit_log_*", "service_get_*", "service_release_locks", "version_tokens_*", "load_rewrite_rules", "flush_rewrite_cache", "mysql_firewall_*", "set_firewall_mode", "wait_for_executed_gtid_set", "wait_until_sql_thread_after_gtids", "master_gtid_wait", "xmltype",
	// SQLite
	"load_extension", "readfile", "writefile", "edit", "fsdir", "lsdir", "fts3_tokenizer", "eval", "zipfile", "zipfile_cds", "system", "shell", "sha3_query",
	"sha1_query", "optimize", "usleep", "sqlite_log", "fileio_*", "blobfromfile", "blobtofile", "importshp", "exportshp", "importdbf", "exportdbf",
	// SQL Server, Oracle, and engines that read files and addresses in FROM
	"xp_*", "sp_*", "openrowset", "opendatasource", "openquery", "utl_*", "dbms_*", "httpuritype", "dburitype", "ctx_sys", "ctxsys", "owa_util", "java_*",
	"bfilename", "read_csv*", "read_text", "read_blob", "read_parquet", "read_json*", "read_ndjson*", "read_xlsx", "parquet_scan", "sniff_csv", "getenv", "url", "urlcluster", "file",
	"filecluster", "s3", "s3cluster", "remote", "remotesecure", "executable", "hdfs", "hdfscluster", "jdbc", "odbc", "input",
}

// elsewhere are functions that are denied where the server may be any, and whose
// names are too plain to be denied elsewhere.
var elsewhere = []string{
	// SQL Server, Snowflake, BigQuery
	"fn_trace_gettable", "fn_xe_file_target_read_file", "fn_get_audit_file", "fn_dump_dblog", "dm_os_file_exists", "dm_os_enumerate_filesystem", "system$*",
	"external_query",
	// DuckDB
	"glob", "query", "query_table", "sqlite_scan", "sqlite_query", "sqlite_attach", "postgres_scan*", "postgres_query", "postgres_attach", "postgres_execute",
	"mysql_scan", "mysql_query", "mysql_execute", "iceberg_*", "delta_scan", "parquet_*", "arrow_scan*", "python_map*", "st_read*", "shapefile_meta",
	"duckdb_secrets", "which_secret", "from_substrait*", "json_execute_serialized_sql", "read_*",
	// ClickHouse
	"mysql", "postgresql", "mongodb", "redis", "sqlite", "cluster", "clusterallreplicas", "azureblobstorage*", "gcs", "deltalake*", "iceberg*", "hudi*",
	"hive", "ytsaurus", "arrowflight", "sleepeachrow", "catboostevaluate",
}

// honest are functions of packages that are denied otherwise.
var honest = []string{
	"dbms_lob.substr", "dbms_lob.getlength", "dbms_lob.instr", "dbms_lob.compare", "dbms_random.*", "dbms_metadata.get_*", "dbms_xplan.display*", "dbms_rowid.*",
	"dbms_crypto.hash", "utl_raw.*", "utl_match.*",
}

// forbids says whether a function may not be called. The last name of a call is
// that of the function, those before it are those of schemas and packages.
func forbids(name string, last bool) bool {
	switch {
	case listed(set.denied, name):
		return true
	case listed(set.allowed, name):
	case deniedBy.has(name), set.dialect == "generic" && elsewhereBy.has(name):
		return true
	}
	return last && set.only != nil && !listed(set.only, name)
}

func forbidden(name string) finding {
	return finding{code: "SQL_FUNCTION", because: "a function that may not be called: " + name}
}

// name says whether a token can be part of a name.
func (s statement) name(i int) bool { return s.at(i).kind == word || s.at(i).kind == quoted }

// calls finds a function that may not be called: a name with a bracket behind it,
// quoted or not, whatever it is qualified with.
func (s statement) calls() finding {
	for i := range s {
		if !s.mark(i, "(") || !s.name(i-1) {
			continue
		}
		if s.mark(i-2, ".") && s.name(i-3) && listed(honest, strings.ToLower(s.at(i-3).text+"."+s.at(i-1).text)) {
			continue
		}
		for n := i - 1; ; n -= 2 {
			name := strings.ToLower(s.at(n).text)
			if s.at(i-1).kind == word && n == i-1 && slices.Contains(keywords, s.at(n).text) {
				break
			}
			if forbids(name, n == i-1) {
				return forbidden(name)
			}
			if !s.mark(n-1, ".") || !s.name(n-2) {
				break
			}
		}
	}
	return finding{}
}

// attributes finds a function that PostgreSQL calls without a bracket: (x).name is
// name(x).
func (s statement) attributes() finding {
	if set.dialect != "postgres" && set.dialect != "generic" {
		return finding{}
	}
	chain := false
	for i := range s {
		switch {
		case s.mark(i, ")"), s.mark(i, "]"):
			chain = true
		case s.mark(i, "."):
		case chain && s.mark(i-1, ".") && s.name(i):
			if name := strings.ToLower(s[i].text); !s.mark(i+1, "(") && forbids(name, true) {
				return forbidden(name)
			}
		default:
			chain = false
		}
	}
	return finding{}
}

// sequences finds what takes the next number of a sequence without a bracket, and
// packages of Oracle whose functions need none.
func (s statement) sequences() finding {
	for i, t := range s {
		switch {
		case t.kind == mark, t.kind == number, t.kind == literal:
		case s.is(i, "NEXT") && s.is(i+1, "VALUE") && s.is(i+2, "FOR"),
			s.is(i, "NEXTVAL") && (s.is(i+1, "FOR") || s.mark(i-1, ".") && (set.dialect == "generic" || set.dialect == "mysql")):
			if forbids("nextval", false) {
				return forbidden("nextval")
			}
		case set.dialect == "generic" && s.name(i) && s.mark(i+1, ".") && s.name(i+2) && !s.mark(i+3, "("):
			owner := strings.ToLower(s[i].text)
			if listed(packages, owner) && !listed(honest, owner+"."+strings.ToLower(s[i+2].text)) && forbids(owner, false) {
				return forbidden(owner)
			}
		}
	}
	return finding{}
}

// packages are those of Oracle that do more than read.
var packages = []string{"utl_*", "dbms_*", "ctxsys", "owa_util"}

// keywords can have a bracket behind them without being called.
var keywords = []string{
	"SELECT", "FROM", "WHERE", "AND", "OR", "NOT", "IN", "AS", "ON", "USING", "VALUES", "ROW", "OVER", "FILTER", "BY", "HAVING", "UNION", "ALL", "EXCEPT",
	"INTERSECT", "DISTINCT", "EXISTS", "ANY", "SOME", "JOIN", "LATERAL", "WITHIN", "GROUP", "CASE", "WHEN", "THEN", "ELSE", "IS", "LIKE", "BETWEEN", "LIMIT",
	"OFFSET", "ARRAY", "MATERIALIZED", "EXPLAIN", "SET", "RETURNING", "INTERVAL", "ESCAPE",
}

// index is a list of names by the first byte of each: a long text has many calls.
type index [256][]string

var deniedBy, elsewhereBy = indexed(denied), indexed(elsewhere)

func indexed(list []string) *index {
	var by index
	for _, name := range list {
		by[name[0]] = append(by[name[0]], name)
	}
	return &by
}

func (by *index) has(name string) bool { return name != "" && listed(by[name[0]], name) }

// listed says whether a name is in a list, whose names may end in *.
func listed(list []string, name string) bool {
	return slices.ContainsFunc(list, func(p string) bool {
		if start, ok := strings.CutSuffix(p, "*"); ok {
			return len(name) >= len(start) && strings.EqualFold(name[:len(start)], start)
		}
		return len(p) == len(name) && strings.EqualFold(p, name)
	})
}

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
	"http_*", "plpy_*", "postgres_fdw_*",
	// MySQL, MariaDB
	"load_file", "sleep", "benchmark", "sys_exec", "sys_eval", "sys_get", "sys_set", "lib_mysqludf_*", "get_lock", "release_lock", "release_all_locks",
	"master_pos_wait", "source_pos_wait", "wait_for_executed_gtid_set", "wait_until_sql_thread_after_gtids", "master_gtid_wait", "xmltype",
	// SQLite
	"load_extension", "readfile", "writefile", "edit", "fsdir", "lsdir", "fts3_tokenizer", "eval", "zipfile", "system", "shell",
	// SQL Server, Oracle, and engines that read files and addresses in FROM
	"xp_*", "sp_*", "openrowset", "opendatasource", "openquery", "utl_*", "dbms_*", "httpuritype", "dburitype", "ctx_sys", "ctxsys", "owa_util", "java_*",
	"read_csv*", "read_text", "read_blob", "read_parquet", "read_json*", "read_ndjson*", "parquet_scan", "sniff_csv", "getenv", "url", "urlcluster", "file",
	"filecluster", "s3", "s3cluster", "remote", "remotesecure", "executable", "hdfs", "hdfscluster", "jdbc", "odbc", "input",
}

// calls finds a function that may not be called: a name with a bracket behind it,
// quoted or not, whatever it is qualified with.
func (s statement) calls() finding {
	for i := range s {
		if !s.mark(i, "(") || s.at(i-1).kind != word && s.at(i-1).kind != quoted {
			continue
		}
		for n := i - 1; ; n -= 2 {
			name := strings.ToLower(s.at(n).text)
			if s.at(i-1).kind == word && n == i-1 && slices.Contains(keywords, s.at(n).text) {
				break
			}
			last := n == i-1
			if listed(set.denied, name) || listed(denied, name) && !listed(set.allowed, name) || last && set.only != nil && !listed(set.only, name) {
				return finding{code: "SQL_FUNCTION", because: "a function that may not be called: " + name}
			}
			if !s.mark(n-1, ".") || s.at(n-2).kind != word && s.at(n-2).kind != quoted {
				break
			}
		}
	}
	return finding{}
}

// keywords can have a bracket behind them without being called.
var keywords = []string{
	"SELECT", "FROM", "WHERE", "AND", "OR", "NOT", "IN", "AS", "ON", "USING", "VALUES", "ROW", "OVER", "FILTER", "BY", "HAVING", "UNION", "ALL", "EXCEPT",
	"INTERSECT", "DISTINCT", "EXISTS", "ANY", "SOME", "JOIN", "LATERAL", "WITHIN", "GROUP", "CASE", "WHEN", "THEN", "ELSE", "IS", "LIKE", "BETWEEN", "LIMIT",
	"OFFSET", "ARRAY", "MATERIALIZED", "EXPLAIN", "SET", "RETURNING", "INTERVAL", "ESCAPE",
}

// listed says whether a name is in a list, whose names may end in *.
func listed(list []string, name string) bool {
	return slices.ContainsFunc(list, func(p string) bool {
		if start, ok := strings.CutSuffix(p, "*"); ok {
			return strings.HasPrefix(name, strings.ToLower(start))
		}
		return strings.ToLower(p) == name
	})
}

import type pg from 'pg'

/** Things of our own: not those of extensions, and not the migrations' list of names. */
const OWN = (alias: string, catalog: string) =>
  `${alias} = 'public'::regnamespace AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = '${catalog}'::regclass AND d.objid = o.oid AND d.deptype = 'e')`

/**
 * Each answers lines that name a thing and say all of it, but for the order of columns, which
 * depends on when they came.
 */
const QUESTIONS = [
  // tables, views, sequences
  `SELECT format('%s %s %s', o.relkind, o.relname, o.relpersistence) FROM pg_class o
   WHERE o.relkind IN ('r', 'p', 'v', 'm', 'S') AND ${OWN('o.relnamespace', 'pg_class')}`,
  // columns with type, default, identity and whether they are required or generated
  `SELECT concat_ws(' ', 'column', o.relname, a.attname, format_type(a.atttypid, a.atttypmod), a.attcollation::regcollation,
     CASE WHEN a.attnotnull THEN 'not null' END, nullif(a.attidentity, ''), nullif(a.attgenerated, ''), pg_get_expr(f.adbin, f.adrelid))
   FROM pg_class o JOIN pg_attribute a ON a.attrelid = o.oid AND a.attnum > 0 AND NOT a.attisdropped
   LEFT JOIN pg_attrdef f ON f.adrelid = o.oid AND f.adnum = a.attnum
   WHERE o.relkind IN ('r', 'p', 'v', 'm') AND ${OWN('o.relnamespace', 'pg_class')}`,
  `SELECT format('constraint %s of %s: %s', o.conname, o.conrelid::regclass, pg_get_constraintdef(o.oid)) FROM pg_constraint o
   WHERE ${OWN('o.connamespace', 'pg_constraint')}`,
  `SELECT pg_get_indexdef(o.oid) FROM pg_class o WHERE o.relkind = 'i' AND ${OWN('o.relnamespace', 'pg_class')}`,
  `SELECT format('%s %s', pg_get_triggerdef(t.oid), t.tgenabled) FROM pg_trigger t JOIN pg_class o ON o.oid = t.tgrelid
   WHERE NOT t.tgisinternal AND ${OWN('o.relnamespace', 'pg_class')}`,
  `SELECT pg_get_functiondef(o.oid) FROM pg_proc o WHERE o.prokind <> 'a' AND ${OWN('o.pronamespace', 'pg_proc')}`,
  `SELECT format('view %s: %s', o.relname, pg_get_viewdef(o.oid)) FROM pg_class o
   WHERE o.relkind IN ('v', 'm') AND ${OWN('o.relnamespace', 'pg_class')}`,
  // enumerations, domains and other types that no table brings along
  `SELECT format('type %s %s %s %s', o.typname, o.typtype, format_type(o.typbasetype, o.typtypmod),
     (SELECT string_agg(e.enumlabel, ', ' ORDER BY e.enumsortorder) FROM pg_enum e WHERE e.enumtypid = o.oid))
   FROM pg_type o WHERE o.typtype IN ('e', 'd', 'r') AND ${OWN('o.typnamespace', 'pg_type')}`,
  `SELECT format('extension %s', extname) FROM pg_extension`,
]

/**
 * The parts of a database, one line each, sorted: two with the same lines are the same but for
 * their rows.
 */
export async function catalogOf(pool: pg.Pool): Promise<string[]> {
  const lines: string[] = []
  for (const text of QUESTIONS) {
    const { rows } = await pool.query<string[]>({ text, rowMode: 'array' })
    lines.push(...rows.map(([line = '']) => line))
  }
  return lines.sort()
}

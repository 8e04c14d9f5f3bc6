/**
 * Owners of names in SQL: a table, view or function belongs to the domain whose name it begins
 * with (see `BEGINNINGS`), and is private to it unless its `views.ts` lists it. Other domains, the
 * gateway and what starts them may read what is listed, and write nothing.
 */

/** `ensure(context, 'label'`, and the like: the demo names resources, some of which are called as their table. */
const NAMED_RESOURCE = /\b(?:ensure|ensureAll|idsBy|resourceNamed)\(\s*context,\s*'\w+'/g

/** Domains whose tables, views and functions begin with the name of a neighbor, in whose migration they are. */
const BEGINNINGS = [
  ['assets_account', 'system-users'],
  ['assets_is_pushed', 'system-users'],
  ['assets_listed_system_user', 'system-users'],
  ['assets_person_', 'system-users'],
  ['assets_push_', 'system-users'],
  ['assets_system_user', 'system-users'],
  ['assets_temporary_auth', 'system-users'],
  ['assets_command_', 'command-filters'],
]

/** The name of the domain that a table, view or function belongs to, by the beginning of its name. */
export const ownerOf = (name) => BEGINNINGS.find(([beginning]) => name.startsWith(beginning))?.[1] ?? name.split('_')[0]

const withoutComments = (text) => text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/.*$/gm, '$1')

/** Names of all that migrations create and SQL can name. */
export function namesInMigrations(text) {
  const created = text
    .replace(/--.*$/gm, '')
    .matchAll(/\bCREATE\s+(?:OR\s+REPLACE\s+)?(?:TABLE|VIEW|FUNCTION|PROCEDURE)\s+(?:IF\s+NOT\s+EXISTS\s+)?(\w+)/gi)
  return [...created].map((found) => found[1])
}

const domainOf = (path) => path.match(/^apps\/server\/src\/domains\/([^/]+)\//)?.[1]

/**
 * What of each domain others must not name, and what they may only read; names in SQL and the
 * variables of drizzle alike.
 * @param {{ path: string, text: string }[]} files product files of the server
 * @param {string[]} names of what the migrations create
 */
export function ownership(files, names) {
  const domains = new Set(files.map(({ path }) => domainOf(path)).filter(Boolean))
  /** Name → domain. */
  const owned = new Map()
  const open = new Set()
  for (const name of names) {
    const domain = ownerOf(name)
    if (domains.has(domain)) owned.set(name, domain)
  }
  for (const { path, text } of files) {
    const domain = domainOf(path)
    if (!domain) continue
    for (const [, exported, variable, name] of text.matchAll(
      /(\bexport )?\bconst (\w+) = pg(?:Table|View)\(\s*'(\w+)'/g,
    )) {
      // Names that a file keeps for itself cannot be used elsewhere.
      for (const word of exported ? [variable, name] : [name]) owned.set(word, domain)
      if (path.endsWith(`domains/${domain}/views.ts`)) for (const word of [variable, name]) open.add(word)
    }
  }
  return { owned, open }
}

/**
 * Why a file's SQL is not its own business: one line for each name of another domain that it must
 * not use.
 * @param {{ path: string, text: string }} file
 * @param {ReturnType<typeof ownership>} known
 */
export function foreignSql({ path, text }, { owned, open }) {
  const own = domainOf(path)
  const code = withoutComments(text).replace(NAMED_RESOURCE, '')
  const isForeign = (word) => owned.has(word) && owned.get(word) !== own
  const wrong = new Set()
  for (const word of new Set(code.match(/\b[A-Za-z]\w*\b/g) ?? []))
    if (isForeign(word) && !open.has(word))
      wrong.add(`${path} names ${word}, which is private to the domain ${owned.get(word)}`)
  const written = /(?:\b(?:INSERT\s+INTO|UPDATE|DELETE\s+FROM)\s+(?:\$\{)?|\.(?:insert|update|delete)\(\s*)(\w+)/g
  for (const [, word] of code.matchAll(written))
    if (isForeign(word) && open.has(word))
      wrong.add(`${path} writes ${word}, which the domain ${owned.get(word)} lets others read only`)
  return [...wrong]
}

/** Catalogs of databases, which say what is there. */
const CATALOGS = new Set(['information_schema', 'pg_catalog', 'sys'])
/** Sessions with databases of other people, whose tables lie anywhere. */
const OTHER_DATABASES = 'apps/server/src/gateway/listeners/'

/**
 * What of the SQL of a file names a table in a schema of its own: all ours are in the one that needs no
 * name, so it is private to a library, which may change it with any release.
 * @param {{ path: string, text: string }} file of the product or its tests
 */
export function librarySql({ path, text }) {
  if (path.startsWith(OTHER_DATABASES)) return []
  const named = withoutComments(text).matchAll(/\b(?:FROM|JOIN|INTO|UPDATE|TABLE|TRUNCATE)\s+(?:ONLY\s+)?(\w+)\.(\w+)/g)
  return [...named].flatMap(([, schema, table]) =>
    CATALOGS.has(schema) ? [] : [`${path} names ${schema}.${table}, which is private to a library`],
  )
}

/**
 * Tables and views that the code describes more than once: the second goes its own way unnoticed.
 * @param {{ path: string, text: string }[]} files product files of the server
 * @returns {string[]} one line a table
 */
export function describedTwice(files) {
  const descriptions = files.flatMap(({ path, text }) =>
    [...withoutComments(text).matchAll(/\bpg(?:Table|View)\(\s*'(\w+)'/g)].map(([, name]) => ({ name, path })),
  )
  return [...Map.groupBy(descriptions, ({ name }) => name)].flatMap(([name, found]) =>
    found.length > 1 ? [`${name} is described ${found.length} times: ${found.map(({ path }) => path).join(', ')}`] : [],
  )
}

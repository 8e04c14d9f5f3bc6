import { expect, test } from 'vitest'
import { describedTwice, foreignSql, librarySql, namesInMigrations, ownership } from './sql-ownership.mjs'

const domains = 'apps/server/src/domains'
const files = [
  { path: `${domains}/users/tables.ts`, text: "export const usersUser = pgTable('users_user', {})" },
  { path: `${domains}/users/views.ts`, text: "export const usersPerson = pgView('users_person', {}).existing()" },
  { path: `${domains}/perms/grants.ts`, text: '' },
]
const known = ownership(files, ['users_user', 'users_password_history', 'users_person', 'kernel_migration'])
const sqlOf = (text, path = `${domains}/perms/grants.ts`) => foreignSql({ path, text }, known)

test('what migrations create is known, and comments in them are not', () => {
  const text = `
    CREATE TABLE users_user (id uuid);
    -- CREATE TABLE users_gone (id uuid);
    CREATE OR REPLACE FUNCTION users_count() RETURNS int
    CREATE VIEW users_person AS SELECT 1;`
  expect(namesInMigrations(text)).toEqual(['users_user', 'users_count', 'users_person'])
})

test.each([
  ['a table in SQL', 'sql`SELECT 1 FROM users_user u`'],
  ['a table in a list of tables', 'sql`SELECT 1 FROM perms_permission p, users_user u`'],
  ['a table that is a part of SQL', "const table = 'users_user'"],
  ['a table that no code describes', '`DELETE FROM users_password_history WHERE id = $1`'],
  ['a table of drizzle', "import { usersUser } from '../users/index.ts'"],
])('%s of another domain is refused', (_what, text) => {
  expect(sqlOf(text)).toHaveLength(1)
})

test.each([
  ['sql`INSERT INTO users_person (id) SELECT 1`'],
  ['sql`UPDATE users_person SET name = 1`'],
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the text of a file
  ['sql`DELETE FROM ${usersPerson} WHERE true`'],
  ['db.update(usersPerson).set({})'],
])('a listed view is not written: %s', (text) => {
  expect(sqlOf(text)).toHaveLength(1)
})

test('tables that begin with the name of a neighbor are private to the domain that has them', () => {
  const paths = ['assets', 'system-users', 'command-filters'].map((domain) => `${domains}/${domain}/tables.ts`)
  const ofThree = ownership(
    paths.map((path) => ({ path, text: '' })),
    ['assets_asset', 'assets_is_pushed', 'assets_system_user_node', 'assets_command_filter_rule'],
  )
  const text = 'sql`SELECT assets_is_pushed(id) FROM assets_asset, assets_system_user_node, assets_command_filter_rule`'
  expect(paths.map((path) => foreignSql({ path, text }, ofThree).map((line) => line.split(' ')[2]))).toEqual([
    ['assets_is_pushed,', 'assets_system_user_node,', 'assets_command_filter_rule,'],
    ['assets_asset,', 'assets_command_filter_rule,'],
    ['assets_is_pushed,', 'assets_asset,', 'assets_system_user_node,'],
  ])
})

test('a listed view is read, by its name and by its variable', () => {
  expect(sqlOf('sql`SELECT 1 FROM users_person`; db.select().from(usersPerson)')).toEqual([])
})

test('a domain names its own tables, and comments name any', () => {
  expect(sqlOf('sql`UPDATE users_user SET name = 1`', `${domains}/users/user.ts`)).toEqual([])
  expect(sqlOf('// users_user is private\n/* so is users_user */')).toEqual([])
})

test('the gateway, the demo and what starts the server are others too', () => {
  for (const path of ['gateway/gateway.ts', 'demo/seed.ts', 'server.ts'])
    expect(sqlOf('sql`SELECT 1 FROM users_user`', `apps/server/src/${path}`)).toHaveLength(1)
})

test('a table of a library’s own schema is refused, in tests as well; catalogs are not, nor databases of sessions', () => {
  const of = (path, text) => librarySql({ path, text })
  const test = 'apps/server/src/kernel/jobs/jobs.test.ts'
  expect(of(test, 'ask(`UPDATE queue.job SET state = 1`)')).toEqual([
    `${test} names queue.job, which is private to a library`,
  ])
  expect(of('bench/jobs.ts', 'SELECT 1 FROM a JOIN queue.job j USING (id)')).toHaveLength(1)
  expect(of(test, 'SELECT 1 FROM information_schema.tables // FROM queue.job')).toEqual([])
  expect(of('apps/server/src/gateway/listeners/database/mysql.test.ts', 'SELECT id FROM shop.item')).toEqual([])
})

test('a table has one description in code', () => {
  const path = `${domains}/perms/tables.ts`
  const text = "const a = pgTable('perms_a', {})\nconst b = pgTable(\n  'perms_b',\n)"
  expect(describedTwice([{ path, text }])).toEqual([])
  expect(describedTwice([...files, { path, text: `${text}\nconst c = pgTable('perms_b')` }])).toEqual([
    expect.stringContaining('perms_b is described 2 times'),
  ])
})

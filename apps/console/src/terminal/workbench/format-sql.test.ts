import { expect, test } from 'vitest'
import { formatSql, placeAfter, type SqlDialectName } from './format-sql.ts'

test('statements are laid out in the words of their database, and the cursor stays where it stood', () => {
  const text = "select a,b->'$.x' from t where c='a  b' and d in(1,2) -- both\norder by 1; select 2"
  const formatted = formatSql(text, 'mysql') ?? ''
  expect(formatted.split('\n').slice(0, 5)).toEqual(['select', '  a,', "  b -> '$.x'", 'from', '  t'])
  expect(formatted).toContain("c = 'a  b'")
  expect(formatted).toContain('-- both\n')
  for (const word of ['d in', 'order', 'select 2'])
    expect(formatted.slice(placeAfter(text, text.indexOf(word), formatted)).trimStart()).toMatch(
      new RegExp(`^${word.split(' ')[0]}`),
    )
})

test.each<[SqlDialectName, string]>([
  ['postgresql', "select $$ a   b $$, E'it\\'s  x', \"A  b\", a->>'b', a[1:2] from t where a ? 'b' or - -1=-1"],
  ['postgresql', 'select /* kept\n as it is */ 1; do $x$ begin  x;  end $x$'],
  ['mysql', "select `a  b`, 'it\\'s  x', @a:=1, @@session.x, x'ff', count(*) from t # why\nlimit 1,2"],
  ['mysql', "update t set a=-1, b='\\\\' where c<=>d"],
  ['mysql', '/*!50003 select  1 */'],
])('what stands in quotes, comments and operators of %s stays as it is: %s', (dialect, text) => {
  const bare = (one: string | undefined) => one?.replace(/\s/g, '')
  const formatted = formatSql(text, dialect)
  expect(bare(formatted)).toBe(bare(text))
  for (const quote of text.match(/'[^'\\]*'|"[^"]*"|`[^`]*`|\$\$.*\$\$|\$x\$.*\$x\$/g) ?? [])
    expect(formatted).toContain(quote)
})

test.each<[SqlDialectName, string, string]>([
  ['postgresql', "select 'a'\n'b'", 'two strings that are one only on two rows'],
  ['postgresql', 'select a !=- 1', 'an operator that another blank makes two'],
  ['mysql', 'select count (*) from t', 'a function that is none behind a blank'],
  ['mysql', "select _utf8mb4'a'", 'a character set apart from its string'],
  ['mysql', "select 'open", 'a string without its end'],
  ['mysql', 'delimiter //\ncreate procedure p() begin select 1; end//', 'what the client reads itself'],
])('of %s, %s is left alone: %s', (dialect, text) => {
  expect(formatSql(text, dialect)).toBeUndefined()
})

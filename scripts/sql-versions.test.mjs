/** The SQL of the product is read by every PostgreSQL it is tried with, from 14 on. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ROOT } from './prepare.mjs'

/** Words of newer versions, by the release notes of each. */
const NEWER = {
  15: [/\bMERGE INTO\b/, /\bregexp_(?:count|like|instr|substr)\(/i, /\bsecurity_invoker\b/],
  16: [
    /\bany_value\(/i,
    // `provideFunctions` gives older servers those of pg_input_is_valid and uuidv7.
    /\bpg_input_error_info\(/i,
    /\bIS JSON\b/,
    /\bJSON_(?:ARRAY|ARRAYAGG|OBJECT|OBJECTAGG)\(/,
    /\barray_(?:sample|shuffle)\(/i,
    /\bdate_(?:add|subtract)\(/i,
  ],
  17: [/\bJSON_(?:TABLE|EXISTS|VALUE|QUERY)\(/, /\btransaction_timeout\b/, /\buuid_extract_\w+\(/i, /\bON_ERROR\b/],
  18: [
    /\bRETURNING (?:[^`;]*\b)?(?:old|new)\./i,
    /\bWITHOUT OVERLAPS\b/,
    /\barray_(?:sort|reverse)\(/i,
    /\bcasefold\(/i,
  ],
}

test('no statement has words that PostgreSQL 14 does not know', () => {
  const files = globSync('apps/server/src/**/*.{ts,sql}', { cwd: ROOT }).filter(
    (file) => !/\.test\.ts$|fixture/.test(file),
  )
  expect(files.length).toBeGreaterThan(1000)
  const found = files.flatMap((file) => {
    const text = readFileSync(join(ROOT, file), 'utf8').replace(/^\s*(?:\*|\/\/).*$/gm, '')
    return Object.entries(NEWER).flatMap(([version, words]) =>
      words.flatMap((word) => {
        const [hit] = word.exec(text) ?? []
        return hit ? [`${file}: ${hit.slice(-60)} (PostgreSQL ${version})`] : []
      }),
    )
  })
  expect(found).toEqual([])
})

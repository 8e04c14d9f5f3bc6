import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))
/** A block of code behind a line such as `<!-- from apps/server/src/config.ts -->`, indented in lists. */
const FROM = /^( *)<!-- from (\S+) -->\n\n *```\w*\n([\s\S]*?)\n *```$/gm

const snippets = globSync('docs/**/*.md', { cwd: root }).flatMap((page) =>
  [...readFileSync(root + page, 'utf8').matchAll(FROM)].map(([, indent, path, code]) => ({
    page,
    path,
    code: code.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
  })),
)

test('code in the guides is that of the files it is from', () => {
  expect(snippets.length).toBeGreaterThanOrEqual(5)
  const stale = snippets.filter(({ path, code }) => !readFileSync(root + path, 'utf8').includes(`${code}\n`))
  expect(stale.map(({ page, path }) => `${page} has other code than ${path}`)).toEqual([])
})

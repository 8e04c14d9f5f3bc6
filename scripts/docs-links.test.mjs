import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))
const pages = ['*.md', 'docs/**/*.md', 'e2e/**/README.md'].flatMap((pattern) => globSync(pattern, { cwd: root }))
const textOf = (page) => readFileSync(join(root, page), 'utf8')

/** Links of a page: the file, and the heading within it as the address has it. */
function linksOf(page) {
  return [...textOf(page).matchAll(/\]\((?!\w+:)([^)#\s]*)(?:#([^)\s]+))?\)/g)].map(([, file, heading]) => ({
    page,
    file: file === '' ? page : normalize(join(dirname(page), file)),
    heading,
  }))
}

/** Addresses of a page's headings, as code hosts make them. */
const headingsOf = (page) =>
  [...textOf(page).matchAll(/^#+ (.+)$/gm)].map(([, words]) =>
    words
      .toLowerCase()
      .replace(/[^\p{L}\p{N}_ -]/gu, '')
      .replaceAll(' ', '-'),
  )

const links = pages.flatMap(linksOf)

test('links of the documents lead to a file that is there, and to a heading in it', () => {
  expect(links.length).toBeGreaterThan(30)
  const dead = links.filter(
    ({ file, heading }) => !existsSync(join(root, file)) || (heading && !headingsOf(file).includes(heading)),
  )
  expect(dead).toEqual([])
})

test('every page of the documents is reached from the README', () => {
  const reached = new Set(['README.md'])
  for (const page of reached) {
    if (!page.endsWith('.md')) continue
    for (const { file } of linksOf(page)) reached.add(file)
  }
  const written = globSync('docs/**/*.md', { cwd: root })
  expect(written.length).toBeGreaterThan(10)
  expect(written.filter((page) => !reached.has(page))).toEqual([])
})

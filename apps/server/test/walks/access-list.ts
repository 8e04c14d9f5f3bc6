/**
 * The golden list of who may call what: reviewed by people, compared with the routes, and the
 * expectation of the walk.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import type { Access } from '@sallyport/contract/access.ts'
import type { RegisteredRoute } from '../../src/kernel/access/guard.ts'

const FILE = new URL('access.golden', import.meta.url)
const HEADER = `# Who may call what: a path, the methods, and after the colon the words of which one must hold for the caller
# (packages/contract/src/access.ts). HEAD is as GET. A test compares this list with the routes, and calls each as everybody.
# Written by "npm run access-list": run it only when every line that it changes is meant.
`

export type ListedRoute = Pick<RegisteredRoute, 'method' | 'url' | 'access'>

/**
 * The routes as lines of the list: by path, and on each path the methods together that the same
 * callers have.
 */
export function linesOf(routes: readonly ListedRoute[]): string[] {
  const methods = new Map<string, string[]>()
  for (const { method, url, access } of routes) {
    if (method === 'HEAD') continue
    const key = `${url}\n${access.join(' ')}`
    methods.set(key, [...(methods.get(key) ?? []), method])
  }
  const lines = [...methods].map(([key, those]) => {
    const [url, access] = key.split('\n')
    return `${url} ${those.toSorted().join(' ')}: ${access}`
  })
  return lines.toSorted()
}

export function readLines(): string[] {
  const lines = readFileSync(FILE, 'utf8').split('\n')
  return lines.filter((line) => line && !line.startsWith('#'))
}

/** The routes of a line, one a method. */
export function routesOf(line: string): ListedRoute[] {
  const [, url = '', methods = '', access = ''] = /^(\S+) ([A-Z ]+): (.+)$/.exec(line) ?? []
  if (!url) throw new Error(`not a line of the access list: ${line}`)
  return methods.split(' ').map((method) => ({ method, url, access: access.split(' ') as Access[] }))
}

export function writeList(routes: readonly ListedRoute[]): void {
  writeFileSync(FILE, `${HEADER}${linesOf(routes).join('\n')}\n`)
}

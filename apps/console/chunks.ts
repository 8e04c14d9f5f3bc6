/**
 * Which file of the build a module goes into. What decides is what imports it: the first page's
 * files are those of the start and of its own domain, however many domains there are, and what a
 * page fetches when it draws it (`design/lazily.tsx`) never comes with it. By itself the bundler
 * makes a file of every set of pages that share something, a hundred for a list.
 */
import { sep } from 'node:path'

interface Graph {
  getModuleInfo(id: string): { importedIds: readonly string[]; dynamicallyImportedIds: readonly string[] } | null
}

/**
 * Everything that modules need at once: what they import, and what that imports; with `lazily` also
 * what they may fetch later.
 */
function needed(from: readonly string[], graph: Graph, lazily = false): ReadonlySet<string> {
  const found = new Set<string>()
  const open = [...from]
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    if (found.has(id)) continue
    found.add(id)
    const module = graph.getModuleInfo(id)
    open.push(...(module?.importedIds ?? []), ...((lazily && module?.dynamicallyImportedIds) || []))
  }
  return found
}

/**
 * Names the chunk of a module: `pages-users` for what the domain of users alone needs at once,
 * `forms` for what create and update pages alone need, `start` for the shell, the generic pages and
 * what several of these need, `common` for what other documents need too: they must not fetch, let
 * alone start, the console. Undefined for everything else.
 * @param entry the module that the console starts with
 * @param others the modules that the other documents start with
 * @param forms the module of create and update pages
 * @param domains the `index.ts` of each domain, by its name
 */
export function consoleChunks(
  entry: string,
  others: readonly string[],
  forms: string,
  domains: ReadonlyMap<string, string>,
): (id: string, graph: Graph) => string | undefined {
  let sets:
    | {
        start: ReadonlySet<string>
        others: ReadonlySet<string>
        forms: ReadonlySet<string>
        domains: { name: string; modules: ReadonlySet<string> }[]
      }
    | undefined
  return (id, graph) => {
    sets ??= {
      start: needed([entry], graph),
      others: needed(others, graph, true),
      forms: needed([forms], graph),
      domains: [...domains].map(([name, index]) => ({ name, modules: needed([index], graph) })),
    }
    const users = sets.domains.filter(({ modules }) => modules.has(id))
    const isFirst = sets.start.has(id)
    const isForm = sets.forms.has(id)
    const isLibrary = id.includes(`${sep}node_modules${sep}`)
    // Libraries of the first page have a chunk of their own; that the start names more of them than
    // it uses is seen only when all is put together.
    if (isFirst ? isLibrary : !isForm && users.length === 0) return undefined
    if (sets.others.has(id)) return 'common'
    if (!isFirst && users.length === 0) return 'forms'
    return isFirst || isForm || isLibrary || users.length > 1 ? 'start' : `pages-${users[0]?.name}`
  }
}

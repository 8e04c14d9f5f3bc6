/**
 * What a page file says of its place, without the page: `label.page.tsx?routes` is the declaration
 * `export const routes = …` of that file and the imports it uses, nothing else. So the shell knows
 * every address and menu entry, and fetches a page's code only when somebody goes there.
 */
import { readFileSync } from 'node:fs'
import { type Plugin, parseAst } from 'vite'

const QUERY = '?routes'

/** Answers `?routes` of a page file. */
export function pageRoutes(): Plugin {
  return {
    name: 'page-routes',
    enforce: 'pre',
    load(id) {
      if (!id.endsWith(QUERY)) return null
      const file = id.slice(0, -QUERY.length)
      this.addWatchFile(file)
      return routesOf(readFileSync(file, 'utf8'), file)
    },
  }
}

/**
 * The declaration of `routes` in a page's source, and the imports that it names.
 * @throws Error when the file declares none.
 */
export function routesOf(source: string, file: string): string {
  const { body } = parseAst(source, { lang: 'tsx' }, file)
  const declaration = body.find(
    (node) =>
      node.type === 'ExportNamedDeclaration' &&
      node.declaration?.type === 'VariableDeclaration' &&
      node.declaration.declarations.some(({ id }) => id.type === 'Identifier' && id.name === 'routes'),
  )
  if (!declaration) throw new Error(`${file} does not say where its pages stand: export const routes = …`)
  const text = source.slice(declaration.start, declaration.end)
  const imports = body.flatMap((node) => {
    if (node.type !== 'ImportDeclaration' || node.importKind === 'type') return []
    const names = node.specifiers.flatMap((specifier) =>
      specifier.type === 'ImportSpecifier' && new RegExp(`\\b${specifier.local.name}\\b`).test(text)
        ? [source.slice(specifier.start, specifier.end)]
        : [],
    )
    return names.length > 0
      ? [`import { ${names.join(', ')} } from ${source.slice(node.source.start, node.source.end)}`]
      : []
  })
  return [...imports, text, ''].join('\n')
}

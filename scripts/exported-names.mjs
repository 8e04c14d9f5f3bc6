/** Names that one index.ts exports: a door that others find their way through. */
const MAX_NAMES = 40

/**
 * The names that a source text exports; `*` for what it passes on without naming it.
 * @param {string} text
 * @returns {string[]}
 */
export function exportedNames(text) {
  const code = text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/^\s*\/\/.*$/gm, '')
  const listed = [...code.matchAll(/^export (?:type )?\{([^}]*)\}/gm)].flatMap(([, names]) =>
    names
      .split(',')
      .map((name) => name.trim().split(/\s+/).at(-1))
      .filter(Boolean),
  )
  const declared = code.matchAll(
    /^export (?:default )?(?:declare )?(?:abstract )?(?:async )?(?:function\*?|const enum|const|let|class|interface|type|enum) ([\w$]+)/gm,
  )
  return [...listed, ...[...declared].map((found) => found[1]), ...[...code.matchAll(/^export \*/gm)].map(() => '*')]
}

/**
 * Entries of folders that export too much to be read at a glance.
 * @param {{ path: string, text: string }[]} files from the root of the repository, with slashes
 * @returns {string[]} one line an entry
 */
export function wideEntries(files) {
  return files
    .filter(({ path }) => /\/index\.tsx?$/.test(path))
    .flatMap(({ path, text }) => {
      const names = exportedNames(text)
      if (names.includes('*')) return [`${path} exports everything of a file: name what others need`]
      if (names.length <= MAX_NAMES) return []
      return [`${path} exports ${names.length} names: ${MAX_NAMES} at most, give a folder of its own entry the rest`]
    })
}

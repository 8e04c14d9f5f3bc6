import type { Plugin, Rolldown } from 'vite'

/**
 * Moves the bundler's few helper functions from a file of their own into `core`, which every file
 * that uses them needs anyway. The bundler has no setting for it, and a file costs every page a
 * request.
 */
export function runtimeInCore(): Plugin {
  return {
    name: 'runtime-in-core',
    apply: 'build',
    generateBundle: {
      // Before the documents and the lists of what to fetch ahead are written.
      order: 'pre',
      handler(_options, bundle) {
        const chunks = Object.values(bundle).filter((file) => file.type === 'chunk')
        const runtime = chunks.find(({ name }) => name === 'rolldown-runtime')
        const core = chunks.find(({ name }) => name === 'core')
        if (!runtime || !core) return
        for (const chunk of chunks) if (chunk.imports.includes(runtime.fileName)) redirect(chunk, runtime, core)
        core.code = asDeclarations(runtime.code) + core.code
        delete bundle[runtime.fileName]
      },
    },
  }
}

/** What a helper is called in `core`, by its exported name; no minified name is so long. */
const inCore = (exported: string) => `runtime_${exported}`

/** `s as n,l as r` as pairs. */
const pairs = (names: string) => names.split(',').map((name) => name.split(' as ') as [string, string])

/**
 * The helpers as declarations that another module can begin with, and exports.
 * @throws Error when the text does not end in its exports
 */
function asDeclarations(code: string): string {
  const [line, names] = code.match(/export\{([^}]*)\};?\s*$/) ?? []
  if (!line || !names) throw new Error('the bundler wrote its helpers in another way')
  const exports = pairs(names)
  const own = exports.map(([, exported]) => inCore(exported))
  const body = code.slice(0, -line.length)
  return `const[${own}]=(()=>{${body};return[${exports.map(([local]) => local)}]})();export{${own}};`
}

/**
 * Lets a chunk take the helpers from `core`, and `core` from itself.
 * @throws Error when the chunk imports them in another way than expected
 */
function redirect(chunk: Rolldown.OutputChunk, runtime: Rolldown.OutputChunk, core: Rolldown.OutputChunk): void {
  const [nameOfRuntime, nameOfCore] = [runtime, core].map(({ fileName }) => fileName.split('/').at(-1))
  const taking = chunk.code.match(new RegExp(`import\\{([^}]*)\\}from"\\./${nameOfRuntime?.replaceAll('.', '\\.')}";?`))
  if (!taking?.[1]) throw new Error(`${chunk.fileName} imports the bundler's helpers in another way`)
  const names = pairs(taking[1]).map(([exported, local = exported]) => [inCore(exported), local])
  const instead =
    chunk === core
      ? `const ${names.map(([from, to]) => `${to}=${from}`)};`
      : `import{${names.map((pair) => pair.join(' as '))}}from"./${nameOfCore}";`
  chunk.code = chunk.code.replace(taking[0], () => instead)
  chunk.imports = chunk.imports.filter((name) => name !== runtime.fileName)
}

/**
 * Builds `src/app/ahead.ts` as a small script of its own, which the document waits for before it
 * paints: everything else of the console comes as modules, after it.
 */
import { build, type Plugin, type Rolldown } from 'vite'

/** Puts the script into the console's document. @param entry its module */
export function aheadScript(entry: string): Plugin {
  let fileName = ''
  return {
    name: 'ahead-script',
    apply: 'build',
    generateBundle: {
      // Before the documents are written.
      order: 'pre',
      async handler() {
        const [built] = (await build({
          configFile: false,
          logLevel: 'silent',
          build: { write: false, target: 'es2023', lib: { entry, formats: ['iife'], name: 'ahead' } },
        })) as Rolldown.RolldownOutput[]
        const source = built?.output[0].code ?? ''
        fileName = this.getFileName(this.emitFile({ type: 'asset', name: 'ahead.js', source }))
      },
    },
    transformIndexHtml(html, { path }) {
      return path.endsWith('/index.html')
        ? { html, tags: [{ tag: 'script', attrs: { src: `/ui/${fileName}` }, injectTo: 'head-prepend' }] }
        : html
    },
  }
}

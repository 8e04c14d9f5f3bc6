import { existsSync, globSync } from 'node:fs'
import { resolve, sep } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, gzip } from 'node:zlib'
import react from '@vitejs/plugin-react'
import { build, type ConfigEnv, defineConfig, type Plugin, type UserConfig } from 'vite'
import { aheadScript } from './ahead-script.ts'
import { consoleChunks } from './chunks.ts'
import { pageRoutes } from './page-routes.ts'

const here = import.meta.dirname
const entries = ['index', 'login', 'luna'].filter((name) => existsSync(resolve(here, `${name}.html`)))

/** What every page of the console is made of, besides its own code. */
const ROUTES_AND_CALLS = /node_modules\/(@tanstack|react-router)\//

/**
 * What all three documents need, besides our own code. Icons are a line of drawing each: those that
 * not every page shows come together, because every request costs a round trip.
 */
const BASE = /vite\/preload-helper|node_modules\/(react|react-dom|scheduler|lucide-react)\//

/** The pages of each domain, by its name. */
const DOMAINS = new Map(
  globSync('src/pages/*/index.ts', { cwd: here }).map((file) => [file.split(sep)[2] ?? '', resolve(here, file)]),
)

/** A build whose files nobody gets, as tests make to weigh it, is left as it is. */
function isWritten(config: UserConfig, { command }: ConfigEnv): boolean {
  return command === 'build' && config.build?.write !== false
}

/**
 * Writes `.br` and `.gz` beside every text asset, so that the server need not compress at each
 * request. Browsers take Brotli over https and from this machine; elsewhere they ask for gzip.
 */
function compressed(): Plugin {
  const gz = promisify(gzip)
  const br = promisify(brotliCompress)
  return {
    name: 'compressed',
    apply: isWritten,
    generateBundle: {
      order: 'post',
      async handler(_options, bundle) {
        const texts = Object.entries(bundle).filter(([name]) => /\.(js|css|svg)$/.test(name))
        // At once: Node compresses in several threads.
        const files = texts.flatMap(([fileName, file]) => {
          const text = file.type === 'chunk' ? file.code : file.source
          return [gz(text, { level: 9 }), br(text)].map(async (source, at) => ({
            fileName: `${fileName}.${['gz', 'br'][at]}`,
            source: await source,
          }))
        })
        for (const file of await Promise.all(files)) this.emitFile({ type: 'asset', ...file })
      },
    },
  }
}

/**
 * Puts a page's own style sheet into its document: a few kilobytes are not worth a request before
 * the first paint. The link stays, disabled: where it is missing, Vite fetches the sheet again, and
 * waits for it, before it runs any page that needs it.
 */
function styleInPage(): Plugin {
  return {
    name: 'style-in-page',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler(html, { bundle }) {
        return html.replace(/<link rel="stylesheet"[^>]*href="\/ui\/([^"]+)">/g, (link, name: string) => {
          const file = bundle?.[name]
          return file?.type === 'asset'
            ? `${link.replace('>', ' disabled>')}<style>${String(file.source)}</style>`
            : link
        })
      },
    },
  }
}

/** A help text of a definition, with the comma after it. */
const HELP_TEXT = /\bhelpText:\s*(?:'(?:[^'\\\n]|\\.)*'|"[^"\n]*"),?/g

/**
 * Leaves help texts out of the definitions: the console has them from the server, in the language
 * of the person.
 */
function withoutHelpTexts(): Plugin {
  return {
    name: 'without-help-texts',
    apply: 'build',
    transform: {
      order: 'pre',
      filter: { id: /packages\/contract\/src\/(resources|settings)\// },
      handler: (code) => ({ code: code.replace(HELP_TEXT, ''), map: null }),
    },
  }
}

/**
 * Builds the page that exported recordings play in as one script and one style sheet, which the
 * server writes into each of them.
 */
function exportedPage(): Plugin {
  return {
    name: 'exported-page',
    apply: isWritten,
    closeBundle: {
      sequential: true,
      async handler() {
        await build({
          root: here,
          configFile: false,
          logLevel: 'warn',
          build: {
            outDir: 'dist',
            emptyOutDir: false,
            target: 'es2023',
            lib: {
              entry: resolve(here, 'src/terminal/replay/exported/page.ts'),
              formats: ['iife'],
              name: 'replay',
              fileName: () => 'exported-replay.js',
              cssFileName: 'exported-replay',
            },
          },
        })
      },
    },
  }
}

const chunkOf = consoleChunks(
  resolve(here, 'src/app/main.tsx'),
  [resolve(here, 'src/terminal/main.tsx'), resolve(here, 'src/login/main.tsx')],
  resolve(here, 'src/generic/form/FormPage.tsx'),
  DOMAINS,
)

export default defineConfig({
  root: here,
  base: '/ui/',
  plugins: [
    pageRoutes(),
    withoutHelpTexts(),
    aheadScript(resolve(here, 'src/app/ahead.ts')),
    react(),
    styleInPage(),
    compressed(),
    exportedPage(),
  ],
  build: {
    outDir: 'dist',
    // Not `assets`: /ui/assets/… are pages.
    assetsDir: 'static',
    target: 'es2023',
    modulePreload: { polyfill: false },
    assetsInlineLimit: 2048,
    chunkSizeWarningLimit: 1200,
    rolldownOptions: {
      input: Object.fromEntries(entries.map((name) => [name, resolve(here, `${name}.html`)])),
      output: {
        codeSplitting: {
          groups: [
            {
              name: (id, graph) => (BASE.test(id) || chunkOf(id, graph) === 'common' ? 'core' : null),
              debugName: 'core',
              priority: 30,
            },
            // In this order, because a group takes along what its modules import.
            {
              name: (id, graph) => (ROUTES_AND_CALLS.test(id) || chunkOf(id, graph) === 'start' ? 'start' : null),
              debugName: 'start',
              priority: 18,
            },
            { name: chunkOf, debugName: 'domains', priority: 16 },
          ],
        },
      },
    },
  },
  server: { proxy: proxyTo(process.env.SALLYPORT_SERVER ?? 'http://127.0.0.1:8080') },
})

/** In development everything that is not the console comes from a running server. */
function proxyTo(target: string) {
  const rule = { target, changeOrigin: false }
  const sockets = { ...rule, ws: true }
  return { '/api': rule, '/core': rule, '/lion': rule, '/media': rule, '/ws': sockets, '/koko': sockets }
}

import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { gzipSync } from 'node:zlib'
import react from '@vitejs/plugin-react'
import { build, defineConfig, type Plugin } from 'vite'

const here = import.meta.dirname
const entries = ['index', 'login', 'luna'].filter((name) => existsSync(resolve(here, `${name}.html`)))

const LIBRARIES =
  /node_modules\/(antd|@ant-design|@rc-component(?!\/qrcode)|@tanstack|react-router|@emotion|stylis|clsx|is-mobile|throttle-debounce|dayjs)\//

/** What only forms and trees need: it comes with the first of them. The locales' and form context's few lines are part of every page. */
const FORMS =
  /node_modules\/(antd\/es\/(date-picker|calendar|time-picker|input-number|upload|tree|tree-select|cascader|select|auto-complete)\/(?!locale)|antd\/es\/form\/(Form|FormItem|FormList|hooks\/useForm|style)|@rc-component\/(picker|input-number|upload|tree|tree-select|cascader|select|virtual-list)\/(?!.*locale)|dayjs\/)/

/** What all three entries share, without the component library: the sign-in page must stay small. One file, because every request costs a round trip. */
const CORE =
  /rolldown\/runtime|vite\/preload-helper|node_modules\/(react|react-dom|scheduler)\/|apps\/console\/src\/(lib\/|session\/|design\/(Logo|PasswordStrength)\.)|packages\/contract\/src\/(access|constants|define)/

/**
 * Definitions, pages and what they are declared with. What is heavy lives in files named …Body, …Panel or charts, which are loaded when they are first
 * drawn (`design/lazily.tsx`), so that nothing here needs it.
 */
const PAGES =
  /packages\/contract\/src\/(?!zmodem)|console\/src\/(pages|generic|app|design|navigation)\/(?!main\.)(?!import\/|export\/)(?!.*(Body|-body|Panel|charts|widgets\/(registry|code\/|ActionsTree|KeyFile|PasswordWithRules|Protocols|NodeSelect))\.)/

/** Writes `.gz` beside every text asset, so that the server need not compress at each request. */
function gzipped(): Plugin {
  return {
    name: 'gzipped',
    apply: 'build',
    generateBundle: {
      order: 'post',
      handler(_options, bundle) {
        for (const [name, file] of Object.entries(bundle)) {
          const source = file.type === 'chunk' ? file.code : file.source
          if (/\.(js|css|svg)$/.test(name)) this.emitFile({ type: 'asset', fileName: `${name}.gz`, source: gzipSync(source, { level: 9 }) })
        }
      },
    },
  }
}

/** Puts a page's own style sheet into its document: a few kilobytes are not worth a request before the first paint. */
function styleInPage(): Plugin {
  return {
    name: 'style-in-page',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler(html, { bundle }) {
        return html.replace(/<link rel="stylesheet"[^>]*href="\/ui\/([^"]+)">/g, (link, name: string) => {
          const file = bundle?.[name]
          return file?.type === 'asset' ? `<style>${String(file.source)}</style>` : link
        })
      },
    },
  }
}

/** Builds the page that exported recordings play in as one script and one style sheet, which the server writes into each of them. */
function exportedPage(): Plugin {
  return {
    name: 'exported-page',
    apply: 'build',
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

export default defineConfig({
  root: here,
  base: '/ui/',
  plugins: [react(), styleInPage(), gzipped(), exportedPage()],
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
            { name: 'core', test: CORE, priority: 30 },
            {
              name: 'vendor',
              tags: ['$initial'],
              test: (id) => LIBRARIES.test(id) || /console\/src\/design\/(feedback|theme)/.test(id),
              priority: 20,
            },
            // Pages are small and share much: one file is quicker than one for each. What they draw lazily is not among it.
            { name: 'pages', test: PAGES, priority: 16 },
            // The library's Chinese comes with ours.
            { name: 'parts', test: (id) => LIBRARIES.test(id) && !FORMS.test(id) && !/\/locale\//.test(id), priority: 14 },
            { name: 'forms', test: FORMS, priority: 10 },
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
  return { '/api': rule, '/core': rule, '/media': rule, '/ws': { ...rule, ws: true }, '/koko': { ...rule, ws: true } }
}

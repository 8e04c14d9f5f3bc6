import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { gzipSync } from 'node:zlib'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'

const here = import.meta.dirname
const entries = ['index', 'login', 'luna'].filter((name) => existsSync(resolve(here, `${name}.html`)))

/** Parts of the component library that only forms and trees need; they come with the first form, not with the first list. */
const FORMS =
  /node_modules\/(antd\/es\/(date-picker|calendar|time-picker|input-number|upload|tree|tree-select|cascader|form|select|radio|auto-complete|color-picker)\/|@rc-component\/(picker|input-number|upload|tree|tree-select|cascader|form|select|async-validator|virtual-list)\/|dayjs\/)/

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

export default defineConfig({
  root: here,
  base: '/ui/',
  plugins: [react(), gzipped()],
  build: {
    outDir: 'dist',
    target: 'es2023',
    modulePreload: { polyfill: false },
    assetsInlineLimit: 2048,
    chunkSizeWarningLimit: 1200,
    rolldownOptions: {
      input: Object.fromEntries(entries.map((name) => [name, resolve(here, `${name}.html`)])),
      output: {
        codeSplitting: {
          groups: [
            { name: 'react', test: /node_modules\/(react|react-dom|scheduler)\//, priority: 30 },
            { name: 'forms', test: FORMS, priority: 20 },
            {
              name: 'vendor',
              test: /node_modules\/(antd|@ant-design|@rc-component|@tanstack|react-router|@emotion|clsx|is-mobile|throttle-debounce)\//,
              priority: 10,
            },
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

import { fileURLToPath } from 'node:url'

/**
 * The programs of the product that tests start. When all tests run they are bundled, as they are
 * installed (`scripts/test-run.mjs`); single files try the sources, which may have changed since.
 */
const folder = process.env.BUNDLED_SERVER
const source = (path: string) => fileURLToPath(new URL(`../src/${path}`, import.meta.url))

/** The server. */
export const MAIN = folder ? `${folder}/main.js` : source('main.ts')
/** `sallyport-admin`. */
export const ADMIN = folder ? `${folder}/admin.js` : source('admin/main.ts')

import { readFileSync } from 'node:fs'

/** The version of Sallyport, such as `1.0.0`. */
export const PRODUCT_VERSION: string = JSON.parse(
  readFileSync(new URL('../../../../package.json', import.meta.url), 'utf8'),
).version

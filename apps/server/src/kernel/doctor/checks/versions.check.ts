import { readFileSync } from 'node:fs'
import { release } from 'node:os'
import { type Check, ok } from '../check.ts'

/** As the root package says it. */
export const SALLYPORT_VERSION: string = JSON.parse(
  readFileSync(new URL('../../../../../../package.json', import.meta.url), 'utf8'),
).version

const check: Check = {
  name: 'versions',
  title: 'Versions',
  async run() {
    const { openssl } = process.versions
    const values = {
      version: SALLYPORT_VERSION,
      node: process.versions.node,
      openssl,
      system: `${process.platform} ${release()} ${process.arch}`,
    }
    return ok((say) => say('Sallyport {{version}}, Node {{node}}, OpenSSL {{openssl}}, {{system}}', values))
  },
}
export default check

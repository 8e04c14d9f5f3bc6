import { readFileSync } from 'node:fs'
import { release } from 'node:os'
import { embeddedVersions } from '../../database/embedded-versions.ts'
import { type Check, notChecked, type Outcome, ok } from '../check.ts'
import { lineOf } from '../line-of.ts'

/** As the root package says it. */
export const SALLYPORT_VERSION: string = JSON.parse(
  readFileSync(new URL('../../../../../../package.json', import.meta.url), 'utf8'),
).version

const check: Check = {
  name: 'versions',
  title: 'Versions',
  async run({ config }) {
    const { openssl } = process.versions
    const values = {
      version: SALLYPORT_VERSION,
      node: process.versions.node,
      openssl,
      system: `${process.platform} ${release()} ${process.arch}`,
    }
    const own = ok((say) => say('Sallyport {{version}}, Node {{node}}, OpenSSL {{openssl}}, {{system}}', values))
    return config.databaseUrl ? own : [own, await ofEmbedded()]
  },
}
async function ofEmbedded(): Promise<Outcome> {
  const subject = 'PostgreSQL'
  try {
    const values = await embeddedVersions()
    return ok(
      (say) =>
        values.openssl
          ? say('The PostgreSQL inside: {{version}}, with {{openssl}}', { ...values })
          : say('The PostgreSQL inside: {{version}}, with the OpenSSL of the system', { ...values }),
      subject,
    )
  } catch (error) {
    const reason = lineOf(error)
    return notChecked(
      (say) => say('The PostgreSQL inside cannot be asked for its version: {{reason}}', { reason }),
      undefined,
      subject,
    )
  }
}

export default check

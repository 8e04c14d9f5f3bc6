import { release } from 'node:os'
import { join } from 'node:path'
import { PRODUCT_VERSION } from '@sallyport/contract/constants.ts'
import type { Config } from '../../config.ts'
import { embeddedVersions } from '../../database/embedded-versions.ts'
import { type Check, notChecked, type Outcome, ok } from '../check.ts'
import { lineOf } from '../line-of.ts'

const check: Check = {
  name: 'versions',
  title: 'Versions',
  async run({ config }) {
    const { openssl } = process.versions
    const values = {
      version: PRODUCT_VERSION,
      node: process.versions.node,
      openssl,
      system: `${process.platform} ${release()} ${process.arch}`,
    }
    const own = ok((say) => say('Sallyport {{version}}, Node {{node}}, OpenSSL {{openssl}}, {{system}}', values))
    return config.databaseUrl ? own : [own, await ofEmbedded(config)]
  },
}
async function ofEmbedded({ dataDirectory, postgresBin }: Config): Promise<Outcome> {
  const subject = 'PostgreSQL'
  try {
    const values = await embeddedVersions(join(dataDirectory, 'postgres'), postgresBin)
    return ok(
      (say) =>
        values.openssl
          ? say('The PostgreSQL inside: {{version}} ({{source}}), with {{openssl}}', { ...values })
          : say('The PostgreSQL inside: {{version}} ({{source}}), with the OpenSSL of the system', { ...values }),
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

import { hostAuthority } from '@sallyport/contract/resources/assets/host-authority.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import type { StoredRow, WriteContext } from '../../../kernel/resource/mount.ts'
import { mountResource } from '../../../kernel/resource/routes.ts'
import { sha256Of } from '../../../kernel/ssh/keys/plain-key.ts'
import { readPublicKey } from '../../../kernel/ssh/keys/public-key.ts'
import { assetsHostAuthority } from '../tables.ts'

/** Keys that vouch for the host keys of machines. */
export default function mountHostAuthorities(kernel: Kernel): void {
  mountResource(kernel, hostAuthority, {
    table: assetsHostAuthority,
    computed: [{ fields: ['fingerprint'], load: fingerprints }],
    rules: { beforeWrite: [checkKey] },
  })
}

/** A certificate is none: an authority is a key that nobody has certified. */
function checkKey({ draft }: WriteContext<typeof hostAuthority, typeof assetsHostAuthority>): void {
  if (draft.public_key !== undefined) draft.public_key = readPublicKey(draft.public_key).text
}

async function fingerprints(rows: readonly StoredRow<typeof assetsHostAuthority>[]) {
  return rows.map(({ public_key }) => ({
    fingerprint: sha256Of(Buffer.from(public_key.split(' ')[1] ?? '', 'base64')),
  }))
}

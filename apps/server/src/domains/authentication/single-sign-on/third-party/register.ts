import type { Kernel } from '../../../../kernel/kernel.ts'
import { registerBinding } from './bind.ts'
import { registerPasswordPages } from './password-pages.ts'
import { registerPasswordProof } from './password-proof.ts'
import { schedulePeriodicDepartments } from './periodic-departments.ts'
import { registerQrCodeSignIn } from './sign-in.ts'
import { registerUnbinding } from './unbind.ts'

const MAX_CHECK_BYTES = 65_536

/**
 * WeCom, DingTalk and FeiShu as ways to sign in (docs/rules/authentication.md#third_party_binding);
 * what differs between them is in the notifications domain.
 */
export function registerThirdParty(kernel: Kernel): void {
  registerPasswordProof(kernel)
  registerPasswordPages(kernel)
  registerBinding(kernel)
  registerUnbinding(kernel)
  registerQrCodeSignIn(kernel)
  schedulePeriodicDepartments(kernel)
  // FeiShu verifies an application's event address by a challenge, which is echoed; events
  // themselves are ignored.
  kernel.app.route({
    method: 'POST',
    url: '/api/v1/authentication/feishu/event/subscription/callback/',
    bodyLimit: MAX_CHECK_BYTES,
    config: { access: ['anonymous'], withoutCsrf: 'same_origin', summary: "FeiShu's check of its event address" },
    handler: async ({ body }, reply) => reply.type('application/json; charset=utf-8').send(JSON.stringify(body ?? {})),
  })
}

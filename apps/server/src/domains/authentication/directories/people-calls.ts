import { directory as definition } from '@sallyport/contract/resources/authentication/directory.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { plainFields } from '../../../kernel/resource/plain-fields.ts'
import { forgetUserList } from '../ldap/user-list.ts'
import { registerPeopleCalls } from '../ldap/users-api.ts'
import { sourceOfCall } from './trial-calls.ts'

/** Lists the people of a directory, imports them, and discards the list, as with that of the settings. */
export function registerDirectoryPeople(kernel: Kernel): void {
  const url = `${definition.path}:id/users/`
  registerPeopleCalls(kernel, url, {
    sourceOf: ({ params }) => sourceOfCall(kernel, params),
    list: 'People of a directory',
    bringIn: 'Import people of a directory',
  })
  kernel.app.route({
    method: 'POST',
    url: `${url}refresh/`,
    config: {
      access: ['super_admin'],
      summary: 'Forget the list of a directory',
      answers: { fields: plainFields({ msg: 'string' }) },
      takes: { fields: {} },
    },
    handler: async ({ params }) => {
      const { id } = await sourceOfCall(kernel, params)
      await forgetUserList(kernel, id)
      return { msg: 'success' }
    },
  })
}

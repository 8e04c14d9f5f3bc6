import { asset } from '@sallyport/contract/resources/assets/asset.ts'
import { node } from '@sallyport/contract/resources/assets/node.ts'
import { systemUser } from '@sallyport/contract/resources/assets/system-user.ts'
import { isEmpty } from '../../../generic/form/check-field.ts'
import type { FormContext, FormValues } from '../../../generic/view/form-view.ts'
import type { Row } from '../../../lib/api.ts'
import { msg, t } from '../../../lib/i18n.ts'
import { systemUserWords } from '../../assets/system-user-words.ts'
import { type AccessRequest, BASIC, DATES, fromAddress, suggestionsOf } from './request-form.ts'

const eitherOf = (_: unknown, values: FormValues) =>
  isEmpty(values.apply_nodes) && isEmpty(values.apply_assets) ? t('Choose at least one node or asset') : undefined

/** `web-1(ssh/22, rdp/3389)`. */
function assetWords({ hostname, protocols }: Row): string {
  return `${hostname}(${Array.isArray(protocols) ? protocols.join(', ') : ''})`
}

/** What somebody who asks for assets fills in (docs/rules/tickets.md#request_forms). */
export const assetRequest: AccessRequest = {
  type: 'apply_asset',
  groups: [
    BASIC,
    {
      title: msg('Request access'),
      fields: [
        {
          name: 'apply_nodes',
          label: msg('Node'),
          widget: 'references',
          depends: ({ org_id }) => ({ from: suggestionsOf(node.path, org_id, '{full_value}') }),
          check: eitherOf,
          checkedWith: ['apply_assets'],
        },
        {
          name: 'apply_assets',
          label: msg('Asset'),
          widget: 'references',
          initial: fromAddress('asset'),
          depends: ({ org_id }) => ({ from: suggestionsOf(asset.path, org_id, assetWords) }),
          check: eitherOf,
          checkedWith: ['apply_nodes'],
        },
        {
          name: 'apply_system_users',
          label: msg('System user'),
          widget: 'references',
          initial: fromAddress('system_user'),
          depends: ({ org_id }) => ({
            from: suggestionsOf(systemUser.path, org_id, systemUserWords, { protocol__in: 'rdp,ssh,vnc,telnet' }),
          }),
        },
        {
          name: 'apply_actions',
          label: msg('Action'),
          widget: 'permission-actions',
          // The least that is of use: more is asked for on purpose.
          initial: ({ query }: FormContext) => [...new Set(['connect', ...query.getAll('action')])],
        },
        ...DATES,
      ],
    },
  ],
}

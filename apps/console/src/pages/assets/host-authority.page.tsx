import { type HostAuthority, hostAuthority } from '@sallyport/contract/resources/assets/host-authority.ts'
import { definePages } from '../../generic/view/define-pages.ts'
import { msg } from '../../lib/i18n.ts'
import { resourcePlaces } from '../../navigation/page-place.ts'

export const routes = resourcePlaces('HostAuthority', {
  menu: 'assets',
  order: 85,
  path: '/assets/host-authorities',
  titles: {
    List: msg('Host authorities'),
    Create: msg('Create host authority'),
    Update: msg('Update host authority'),
    Detail: msg('Host authority detail'),
  },
})

export const pages = {
  HostAuthority: definePages<HostAuthority>(hostAuthority, {
    list: {
      lead: msg('A machine with a host certificate of one of these authorities is trusted without a pinned host key.'),
      none: msg('No host authorities yet'),
      columns: ['name', 'fingerprint', 'domain', 'is_active', 'created_by', 'date_created', 'comment', 'org_name'],
      defaultColumns: ['name', 'fingerprint', 'domain', 'is_active', 'comment'],
      minColumns: ['name'],
      canBulkDelete: false,
    },
    form: {
      groups: [
        { title: msg('Basic'), fields: ['name', { name: 'public_key', widget: 'textarea' }, 'domain'] },
        { title: msg('Other'), folded: true, fields: ['is_active', 'comment'] },
      ],
    },
    detail: {
      fields: [
        'name',
        { field: 'public_key', copy: true },
        { field: 'fingerprint', copy: true },
        'domain',
        'is_active',
        'comment',
      ],
    },
  }),
}

import { PERMISSION } from '@sallyport/contract/access.ts'
import {
  FURTHER_FIELDS,
  type GroupMapping,
  groupMapping,
} from '@sallyport/contract/resources/authentication/group-mapping.ts'
import { definePages } from '../../generic/view/define-pages.ts'
import type { FormFieldView, FormValues } from '../../generic/view/form-view.ts'
import { msg } from '../../lib/i18n.ts'
import { resourcePlaces } from '../../navigation/page-place.ts'
import { activeAction } from '../active-action.ts'
import { lifeStates } from '../row-states.ts'

export const routes = resourcePlaces('GroupMapping', {
  menu: 'users',
  order: 95,
  bits: PERMISSION.super,
  path: '/users/group-mappings',
  titles: {
    List: msg('Group mappings'),
    Create: msg('Create group mapping'),
    Update: msg('Update group mapping'),
    Detail: msg('Group mapping detail'),
  },
})

/** Which directory or provider a rule means: fields of its own source alone. */
const further = Object.entries(FURTHER_FIELDS)
const furtherNames = further.flatMap(([, { one, all }]) => [one, all])
const furtherFields = further.flatMap(([kind, { one, all }]): FormFieldView[] => [
  { name: all, visibleWhen: ({ source }) => source === kind },
  { name: one, visibleWhen: (values) => values.source === kind && values[all] !== true },
])

const MESSENGERS: readonly unknown[] = ['wecom', 'dingtalk', 'feishu']
const namesGroup = ({ match }: FormValues) => match !== 'everybody'

/** Rules by which groups outside give groups and roles here. */
export const groupMappingPages = definePages<GroupMapping>(groupMapping, {
  list: {
    columns: [
      'name',
      'source',
      ...furtherNames,
      'priority',
      'match',
      'value',
      'mode',
      'org_role',
      { field: 'user_groups', title: msg('User groups') },
      'system_role',
      'is_active',
      'date_created',
      'created_by',
      'comment',
    ],
    defaultColumns: ['name', 'source', 'priority', 'match', 'value', 'org_role', 'is_active'],
    lead: msg(
      'Who is in a group of the directory or of a sign-in provider, or in a department of a messenger, is given groups and roles here, and loses them with it.',
    ),
    none: msg('No group outside gives anything yet'),
    hasSelection: false,
  },
  form: {
    groups: [
      { title: msg('Basic'), fields: ['name', 'is_active'] },
      {
        title: msg('Who gets it'),
        fields: [
          'source',
          ...furtherFields,
          'match',
          {
            name: 'value',
            visibleWhen: namesGroup,
            required: namesGroup,
            depends: ({ match, source }) => ({
              ...(MESSENGERS.includes(source) ? { placeholder: match === 'pattern' ? '/IT/*' : '/IT/Platform' } : {}),
              ...(match === 'pattern' && !MESSENGERS.includes(source)
                ? { placeholder: 'cn=team-*,ou=groups,dc=example,dc=org' }
                : {}),
              ...(match === 'subtree' ? { placeholder: 'ou=teams,ou=groups,dc=example,dc=org' } : {}),
            }),
          },
        ],
      },
      {
        title: msg('What they are given'),
        lead: msg('It is theirs for as long as they are in the group, and changed there alone.'),
        fields: ['org_role', { name: 'user_groups', label: msg('User groups') }, 'system_role'],
      },
      {
        title: msg('Several rules'),
        lead: msg('Rules of one source and organization are looked at in order.'),
        fields: ['priority', 'mode'],
      },
      { title: msg('Other'), folded: true, fields: ['comment'] },
    ],
  },
  detail: {
    states: (row) => lifeStates(row),
    fields: [
      'source',
      ...furtherNames,
      'match',
      'value',
      'org_role',
      'user_groups',
      'system_role',
      'priority',
      'mode',
      'comment',
    ],
    quickActions: [activeAction({ path: groupMapping.path, asksFor: (row) => row.name })],
  },
})

export const pages = { GroupMapping: groupMappingPages }

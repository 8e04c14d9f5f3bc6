import { PERMISSION } from '@sallyport/contract/access.ts'
import {
  FURTHER_FIELDS,
  type GroupMapping,
  groupMapping,
} from '@sallyport/contract/resources/authentication/group-mapping.ts'
import { definePages } from '../../generic/view/define-pages.ts'
import type { FormFieldView, FormValues } from '../../generic/view/form-view.ts'
import { msg, t } from '../../lib/i18n.ts'
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
const ofMessenger = ({ source }: FormValues) => MESSENGERS.includes(source)
const choice = (value: string, display_name: string) => ({ value, display_name })
/** Departments are paths, not DNs, and make no system administrators. */
const departmentMatches = () => [
  choice('exact', t('A department')),
  choice('pattern', t('Departments by a pattern')),
  choice('everybody', t('Everybody of the source')),
]
const departmentRoles = () => [choice('User', t('User')), choice('Auditor', t('System auditor'))]
const departmentWords = (match: unknown) => ({
  label: msg('Department'),
  help: msg('The path from the top, such as /IT/Platform, or the id, such as id:12; people below it are meant as well'),
  placeholder: match === 'pattern' ? '/IT/*' : '/IT/Platform',
})
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
          { name: 'match', depends: ({ source }) => (ofMessenger({ source }) ? { choices: departmentMatches() } : {}) },
          {
            name: 'value',
            visibleWhen: namesGroup,
            required: namesGroup,
            depends: ({ match, source }) => {
              if (ofMessenger({ source })) return departmentWords(match)
              if (match === 'pattern') return { placeholder: 'cn=team-*,ou=groups,dc=example,dc=org' }
              return match === 'subtree' ? { placeholder: 'ou=teams,ou=groups,dc=example,dc=org' } : {}
            },
          },
        ],
      },
      {
        title: msg('What they are given'),
        lead: msg('It is theirs for as long as they are in the group, and changed there alone.'),
        fields: [
          'org_role',
          { name: 'user_groups', label: msg('User groups') },
          {
            name: 'system_role',
            depends: ({ source }) => (ofMessenger({ source }) ? { choices: departmentRoles() } : {}),
          },
        ],
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

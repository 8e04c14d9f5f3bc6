import { type CommandFilter, commandFilter } from '@sallyport/contract/resources/assets/command-filter.ts'
import { systemUser } from '@sallyport/contract/resources/assets/system-user.ts'
import { Link } from 'react-router'
import { countCell } from '../../generic/cells/cells.tsx'
import { definePages } from '../../generic/view/define-pages.ts'
import type { ColumnView } from '../../generic/view/list-view.ts'
import { REFERENCES, type Reference } from '../../generic/view/references.ts'
import { formatNumber } from '../../lib/format.ts'
import { msg, t } from '../../lib/i18n.ts'
import { resourcePlaces } from '../../navigation/page-place.ts'
import { activeAction } from '../active-action.ts'
import { systemUserWords } from '../assets/system-user-words.ts'
import { activeState } from '../row-states.ts'
import { boundTo } from './BoundTo.tsx'
import { FilterRules } from './FilterRules.tsx'
import { FilterSystemUsers } from './FilterSystemUsers.tsx'
import { filterTab } from './filter-tab.ts'
import { JUDGED_APPLICATIONS, JUDGED_PROTOCOLS } from './judged-protocols.ts'
import { WaysAround } from './limits/WaysAround.tsx'
import { TryCommand } from './TryCommand.tsx'

export const routes = resourcePlaces('CommandFilter', {
  menu: 'assets',
  order: 60,
  path: '/assets/cmd-filters',
  titles: {
    List: msg('Command filters'),
    Create: msg('Create command filter'),
    Update: msg('Update command filter'),
    Detail: msg('Command filter detail'),
  },
})

const counted = (field: keyof CommandFilter & string, title: string): ColumnView<CommandFilter> => ({
  field,
  title,
  align: 'right',
  cell: countCell,
  sorter: false,
})

export const commandFilterPages = definePages<CommandFilter>(commandFilter, {
  list: {
    columns: [
      'name',
      {
        ...counted('rules', msg('Rules@@count')),
        cell: ({ row }) => <Link to={filterTab(row.id, 'rules')}>{formatNumber(row.rules.length)}</Link>,
      },
      counted('users', msg('Users@@field')),
      counted('user_groups', msg('User groups@@field')),
      counted('assets', msg('Assets@@field')),
      counted('applications', msg('Applications@@field')),
      counted('system_users', msg('System users@@field')),
      'is_active',
      'created_by',
      'date_created',
      'comment',
      'org_name',
    ],
    defaultColumns: ['name', 'rules', 'is_active', 'comment'],
    minColumns: ['name'],
  },
  form: {
    groups: [
      { title: msg('Basic'), fields: ['name'] },
      {
        title: msg('Applies to'),
        lead: msg('The filter is obeyed in every session to which one of these belongs.'),
        fields: [
          'users',
          'user_groups',
          'assets',
          { name: 'applications', from: { ...(REFERENCES.application as Reference), query: JUDGED_APPLICATIONS } },
          { name: 'system_users', from: { path: systemUser.path, display: systemUserWords, query: JUDGED_PROTOCOLS } },
        ],
      },
      { title: msg('Other'), folded: true, fields: ['is_active', 'comment'] },
    ],
    // A filter without rules changes nothing: its rules are what comes next.
    next: (saved) => filterTab(String(saved.id), 'rules'),
  },
  detail: {
    states: (row) => [activeState(row)],
    lead: (row) => [
      t('{{count|rule|rules}}', { count: row.rules.length }),
      row.users.length ? t('{{count|person|people}}', { count: row.users.length }) : '',
      row.user_groups.length ? t('{{count|user group|user groups}}', { count: row.user_groups.length }) : '',
      row.assets.length ? t('{{count|asset|assets}}', { count: row.assets.length }) : '',
      row.applications.length ? t('{{count|application|applications}}', { count: row.applications.length }) : '',
    ],
    top: WaysAround,
    fields: ['name', 'comment'],
    groups: [boundTo],
    quickActions: [activeAction(commandFilter)],
    side: FilterSystemUsers,
    tabs: [
      { name: 'rules', title: msg('Command filter rules'), component: FilterRules },
      { name: 'try', title: msg('Try it'), component: TryCommand },
    ],
  },
})

export const pages = { CommandFilter: commandFilterPages }

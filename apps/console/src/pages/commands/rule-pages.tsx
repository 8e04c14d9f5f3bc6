import { type CommandFilterRule, commandFilterRule } from '@sallyport/contract/resources/assets/command-filter-rule.ts'
import { Status } from '../../design/Status.tsx'
import { definePages, type ResourcePages } from '../../generic/view/define-pages.ts'
import type { FormValues } from '../../generic/view/form-view.ts'
import { withQuery } from '../../lib/api.ts'
import { msg, t } from '../../lib/i18n.ts'
import { addressOf } from '../../navigation/routes.ts'
import styles from './commands.module.css'
import { filterTab } from './filter-tab.ts'
import { WaysAroundOf } from './limits/WaysAround.tsx'
import { ACTION_TONES } from './rule-actions.ts'

/** docs/rules/assets.md#command_filter_rule */
const CONFIRM = 2

const isConfirm = ({ action }: FormValues) => Number(action) === CONFIRM

/** The pages of the rules of one filter: their address has the filter in it. */
export function rulePagesOf(filter: string): ResourcePages {
  const path = commandFilterRule.path.replace(':filter_id', encodeURIComponent(filter))
  return definePages<CommandFilterRule>(
    { ...commandFilterRule, path },
    {
      list: {
        columns: [
          { field: 'priority', width: 90 },
          {
            field: 'action',
            width: 120,
            cell: ({ row }) => <Status tone={ACTION_TONES[row.action] ?? 'quiet'}>{row.action_display}</Status>,
          },
          {
            field: 'content',
            sorter: false,
            cell: ({ row }) => <code className={styles.ruleContent}>{row.content}</code>,
          },
          { field: 'type', width: 120, cell: ({ row }) => row.type_display },
          { field: 'ignore_case', width: 120 },
          {
            field: 'pattern',
            sorter: false,
            cell: ({ row }) => <code className={styles.ruleContent}>{row.pattern}</code>,
          },
          'comment',
        ],
        defaultColumns: ['priority', 'action', 'content', 'type', 'comment'],
        minColumns: ['content'],
        linkColumn: 'content',
        canUpdate: false,
        canClone: false,
        rowActions: [
          {
            name: 'change',
            title: msg('Update'),
            order: 10,
            run: (row, { go }) =>
              go(withQuery(addressOf('CommandFilterRulesUpdate', { id: row.id }) ?? '/', { filter })),
          },
          {
            name: 'clone',
            title: msg('Clone'),
            order: 30,
            run: (row, { go }) =>
              go(withQuery(addressOf('CommandFilterRulesCreate') ?? '/', { filter, clone_from: row.id })),
          },
          {
            name: 'try',
            title: msg('Try it'),
            order: 40,
            run: (row, { go }) => go(filterTab(filter, 'try', row.id)),
          },
        ],
      },
      form: {
        groups: [
          {
            title: msg('Basic'),
            fields: [
              { name: 'action', widget: 'radio', initial: 0 },
              {
                name: 'reviewers',
                visibleWhen: isConfirm,
                required: isConfirm,
                from: {
                  path: '/api/v1/users/users/',
                  display: '{name}({username})',
                  query: { fields_size: 'mini', is_service: false },
                },
                help: msg(
                  'Nobody confirms their own commands: name at least two, so that they can confirm each other.',
                ),
              },
              { name: 'type', widget: 'radio', initial: 'regex' },
              {
                name: 'content',
                widget: 'code',
                depends: ({ type }) => ({
                  help:
                    type === 'regex'
                      ? t('A regular expression; it is looked for anywhere in the command.')
                      : t('One command per line, such as reboot or rm -rf.'),
                  placeholder: type === 'regex' ? '^rm\\s+-\\w*[rf]' : 'reboot\nrm -rf',
                }),
              },
              'ignore_case',
              'priority',
              'comment',
              {
                name: 'around',
                label: msg('Limits'),
                local: { type: 'string' },
                widget: () => <WaysAroundOf filter={filter} />,
              },
            ],
          },
        ],
        toBody: ({ around: _, ...body }) => ({ ...body, filter, reviewers: isConfirm(body) ? body.reviewers : [] }),
        next: () => filterTab(filter, 'rules'),
      },
      home: () => filterTab(filter, 'rules'),
    },
  )
}

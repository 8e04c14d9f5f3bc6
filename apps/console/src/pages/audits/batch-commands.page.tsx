import { commandExecutionHost } from '@sallyport/contract/resources/audits/command-execution-host.ts'
import {
  type CommandExecutionLog as CommandExecutionRow,
  commandExecutionLog,
} from '@sallyport/contract/resources/audits/command-execution-log.ts'
import { Button } from '../../design/Button.tsx'
import { StateCell } from '../../generic/cells/StateCell.tsx'
import { ResourceTable } from '../../generic/list/ResourceTable.tsx'
import { definePages } from '../../generic/view/define-pages.ts'
import { msg, t } from '../../lib/i18n.ts'
import { PageFrame } from '../../navigation/PageFrame.tsx'
import { places } from '../../navigation/page-place.ts'
import { DatedTable } from '../DatedTable.tsx'
import type { PageProps } from '../page-props.ts'
import { runState } from '../row-states.ts'
import { openTaskLog } from '../windows.ts'
import { EventCell } from './EventCell.tsx'

export const routes = places({
  name: 'CommandExecutionLog',
  menu: 'audits',
  order: 60,
  title: msg('Batch command log'),
  path: '/audits/command-execution-log',
})

const DAYS_BACK = 7

const hostPages = definePages(commandExecutionHost, {
  list: {
    columns: [{ field: 'asset_display', sorter: false }],
    searchOptions: [],
  },
})

const logPages = definePages<CommandExecutionRow>(commandExecutionLog, {
  list: {
    columns: [
      { field: 'command', cell: ({ row }) => <code>{row.command}</code> },
      { field: 'user', cell: ({ row }) => row.user_display },
      'on_behalf_of',
      { field: 'run_as', cell: ({ row }) => row.run_as_display },
      { field: 'hosts', width: 96, cell: ({ row }) => <Hosts row={row} />, sorter: false },
      {
        field: 'is_success',
        title: msg('State'),
        width: 112,
        sorter: false,
        cell: ({ row }) => <StateCell {...runState({ isOver: row.is_finished, isGood: row.is_success })} />,
      },
      'date_start',
      {
        field: 'result',
        width: 96,
        sorter: false,
        cell: ({ row }) => (
          <Button size="small" onClick={() => openTaskLog(row.id)}>
            {t('Output')}
          </Button>
        ),
      },
    ],
    minColumns: ['command', 'date_start'],
    foldFirst: ['run_as'],
    linkColumn: 'command',
  },
})

/** How many machines, which opens into them. */
function Hosts({ row: { id, hosts } }: { row: CommandExecutionRow }) {
  return (
    <EventCell
      title={t('Assets of this batch command')}
      detail={() => (
        <ResourceTable
          pages={hostPages}
          base="CommandExecutionHost"
          inAddress={false}
          query={{ commandexecution: id }}
        />
      )}
    >
      <b>{hosts.length}</b>
    </EventCell>
  )
}

/** Which commands were run on many machines at once, and by whom (A2.56). */
export function CommandExecutionLog({ title }: PageProps) {
  return (
    <PageFrame title={title}>
      <DatedTable pages={logPages} base="CommandExecutionLog" inAddress daysBack={DAYS_BACK} />
    </PageFrame>
  )
}

export const pages = { CommandExecutionLog }

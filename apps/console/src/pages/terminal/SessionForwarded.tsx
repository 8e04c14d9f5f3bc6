import {
  type ForwardedConnection,
  forwardedConnection,
} from '@sallyport/contract/resources/terminal/forwarded-connection.ts'
import type { Session } from '@sallyport/contract/resources/terminal/session.ts'
import { ResourceTable } from '../../generic/list/ResourceTable.tsx'
import { definePages } from '../../generic/view/define-pages.ts'
import type { DetailProps } from '../../generic/view/detail-view.ts'
import { msg } from '../../lib/i18n.ts'
import { forwardedColumns } from './forwarded-connections.page.tsx'

const pages = definePages<ForwardedConnection>(forwardedConnection, {
  list: {
    none: msg('Nothing was forwarded in this session'),
    columns: forwardedColumns,
    hideSearch: ['user', 'asset', 'system_user'],
    foldFirst: ['date_end', 'reason'],
  },
})

/** Forwarded connections of a session: where to and how much, never what. */
export function SessionForwarded({ row }: DetailProps<Session>) {
  return <ResourceTable pages={pages} base="SessionForwarded" inAddress={false} query={{ session_id: row.id }} />
}

import { CalendarSearchIcon, InboxIcon, SearchXIcon } from 'lucide-react'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { Button } from '../../design/Button.tsx'
import { EmptyState } from '../../design/EmptyState.tsx'
import { t } from '../../lib/i18n.ts'
import { addressOf } from '../../navigation/routes.ts'
import type { ListView } from '../view/list-view.ts'

interface NoRowsProps {
  /** Search or filters leave nothing; `at first`: those that the list begins with. */
  isNarrowed: boolean | 'at first'
  /** Only rows of a span of time are listed. */
  isDated: boolean
  onReset: () => void
  /** How the first row is made. */
  create: ReactNode
  /** The missing thing, where the list has words of its own for it. */
  none: string | undefined
  /** What leads to rows where nobody can make one here. */
  whatNext?: string | undefined
  /** Where a person asks for rows that are not here. */
  request?: ListView['request']
}

/** Why there are no rows, and what to do about it. */
export function NoRows({ isNarrowed, isDated, onReset, create, none, whatNext, request }: NoRowsProps) {
  const showAll = <Button onClick={onReset}>{t('Show all')}</Button>
  const address = request && addressOf(request.page)
  const ask = address && (
    <Link className="button" to={address}>
      {t(request.title)}
    </Link>
  )
  if (isNarrowed === 'at first')
    return <EmptyState icon={<InboxIcon />} title={none ?? t('Nothing here yet')} action={showAll} />
  if (isNarrowed)
    return (
      <EmptyState
        icon={<SearchXIcon />}
        title={t('Nothing matches the search')}
        action={
          <>
            {showAll} {ask}
          </>
        }
      />
    )
  if (isDated)
    return (
      <EmptyState icon={<CalendarSearchIcon />} title={t('No entries in this period')}>
        {t('Choose a longer one above the table.')}
      </EmptyState>
    )
  return (
    <EmptyState icon={<InboxIcon />} title={none ?? t('Nothing here yet')} action={ask || create}>
      {!ask && whatNext}
    </EmptyState>
  )
}

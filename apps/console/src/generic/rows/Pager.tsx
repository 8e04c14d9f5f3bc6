import { PAGE_SIZES } from '@sallyport/contract/constants.ts'
import { ChevronLeftIcon, ChevronRightIcon } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { NativeSelect } from '../../design/boxes/NativeSelect.tsx'
import { isEnter } from '../../design/inputs/enter.ts'
import { formatNumber } from '../../lib/format.ts'
import { t } from '../../lib/i18n.ts'
import { lastPage } from './list-state.ts'

const BUTTONS = 5
/** More pages than these are not reached by their buttons soon. */
const MANY = 9

interface PagerProps {
  /** Undefined before it is known. */
  count: number | undefined
  page: number
  size: number
  onPage: (page: number) => void
  /** Without it the size is fixed. */
  onSize?: (size: number) => void
  sizes?: readonly number[]
  /** Besides another pager on the page; translated. */
  label?: string
  /** A box for the number of any page (B9.11); there is one by itself where pages are many. */
  jumper?: boolean
}

/**
 * Page numbers to offer: five around the current one, with the first and last always in reach
 * (B9.10).
 */
function pageButtons(page: number, last: number): number[] {
  const start = Math.max(1, Math.min(page - Math.floor(BUTTONS / 2), last - BUTTONS + 1))
  return Array.from({ length: Math.min(BUTTONS, last) }, (_, index) => start + index)
}

/**
 * Total, sizes, previous, pages, next (B9.10). Where there is nothing to turn over, its place
 * alone.
 */
export function Pager({
  count,
  page,
  size,
  onPage,
  onSize,
  sizes = PAGE_SIZES,
  label = t('Pages'),
  jumper = false,
}: PagerProps) {
  if (!count) return <div className="pager" />
  const last = lastPage(count, size)
  const numbers = pageButtons(page, last)
  const [first = 1] = numbers
  const end = numbers.at(-1) ?? 1
  return (
    <nav className="pager" aria-label={label}>
      <span className="total">{t('Total {{count}}', { count: formatNumber(count) })}</span>
      {onSize && (
        <NativeSelect aria-label={t('Rows per page')} value={size} onChange={(choice) => onSize(Number(choice))}>
          {sizes.map((choice) => (
            <option key={choice} value={choice}>
              {t('{{count}} / page', { count: choice })}
            </option>
          ))}
        </NativeSelect>
      )}
      <Step label={t('Previous page')} to={page > 1 ? page - 1 : undefined} onPage={onPage}>
        <ChevronLeftIcon />
      </Step>
      {first > 1 && <PageButton number={1} current={page} onPage={onPage} />}
      {first > 2 && <span className="gap">…</span>}
      {numbers.map((number) => (
        <PageButton key={number} number={number} current={page} onPage={onPage} />
      ))}
      {end < last - 1 && <span className="gap">…</span>}
      {end < last && <PageButton number={last} current={page} onPage={onPage} />}
      <Step label={t('Next page')} to={page < last ? page + 1 : undefined} onPage={onPage}>
        <ChevronRightIcon />
      </Step>
      {(jumper || last > MANY) && <Jumper last={last} onPage={onPage} />}
    </nav>
  )
}

interface StepProps {
  label: string
  /** There is no page there when absent. */
  to: number | undefined
  onPage: (page: number) => void
  children: ReactNode
}

/** At the last page it stays where the keyboard is: a button that is disabled would lose it. */
function Step({ label, to, onPage, children }: StepProps) {
  return (
    <button
      type="button"
      aria-label={label}
      aria-disabled={to === undefined}
      onClick={() => to !== undefined && onPage(to)}
    >
      {children}
    </button>
  )
}

function PageButton({ number, current, onPage }: { number: number; current: number; onPage: (page: number) => void }) {
  return (
    <button type="button" aria-current={number === current ? 'page' : undefined} onClick={() => onPage(number)}>
      {formatNumber(number)}
    </button>
  )
}

function Jumper({ last, onPage }: { last: number; onPage: (page: number) => void }) {
  const [typed, setTyped] = useState('')
  const go = () => {
    const page = Number(typed)
    if (Number.isInteger(page) && page > 0) onPage(Math.min(page, last))
    setTyped('')
  }
  return (
    <input
      className="jumper"
      inputMode="numeric"
      aria-label={t('Go to page')}
      placeholder={t('Go to page')}
      value={typed}
      onChange={({ target }) => setTyped(target.value)}
      onKeyDown={(event) => isEnter(event) && go()}
    />
  )
}

import { visibleName } from '@sallyport/contract/names.ts'
import { HouseIcon } from 'lucide-react'
import { Fragment } from 'react'
import { Button } from '../../../design/Button.tsx'
import { t } from '../../../lib/i18n.ts'
import { crumbsOf } from './paths.ts'

export interface PathBarProps {
  path: string
  /** Name of the pane, which tells two of them apart. */
  pane: string
  /** Host name of the machine that the path names by id. */
  machine: string | undefined
  onPath: (path: string) => void
}

/** The folders from the top to here, each to go to. */
export function PathBar({ path, pane, machine, onPath }: PathBarProps) {
  const crumbs = crumbsOf(path)
  return (
    <nav className="fm-path" aria-label={`${t('Path')}: ${pane}`}>
      {crumbs.map(({ name, path: to }, at) => {
        const text =
          at === 0 ? (
            <HouseIcon aria-label={t('All machines')} />
          ) : at === 1 && name.startsWith('@') ? (
            (machine ?? '…')
          ) : (
            visibleName(name)
          )
        const isHere = at === crumbs.length - 1
        return (
          <Fragment key={to}>
            {at > 1 && <span aria-hidden="true">/</span>}
            <Button
              type="text"
              size="small"
              {...(isHere ? { 'aria-current': 'location' as const } : {})}
              onClick={() => onPath(to)}
            >
              {text}
            </Button>
          </Fragment>
        )
      })}
    </nav>
  )
}

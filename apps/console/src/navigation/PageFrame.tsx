import { ChevronLeftIcon } from 'lucide-react'
import { type ReactNode, useEffect, useRef } from 'react'
import { useLocation, useNavigate } from 'react-router'
import { isFocusLost } from '../design/focus.ts'
import { isolated } from '../lib/bidi.ts'
import { t } from '../lib/i18n.ts'
import { session } from '../session/session.ts'
import { nameTab } from './open-tabs.ts'

interface PageFrameProps {
  title: string
  /** Beginning of the title, where that is the kind of thing and not its name. */
  kind?: string
  /** A state or a count beside the heading. */
  beside?: ReactNode
  /** The subject of the page, in a line under the heading. */
  lead?: ReactNode
  /** Buttons at the right of the heading: the one that people come for is the primary one. */
  actions?: ReactNode
  /** Shows a button that goes back. */
  back?: boolean
  children: ReactNode
}

let anyPageShown = false

/** Heading, actions and body of a page; sets the document's title. */
export function PageFrame({ title, kind, beside, lead, actions, back, children }: PageFrameProps) {
  const navigate = useNavigate()
  const { pathname } = useLocation()
  useEffect(() => nameTab(pathname, title), [pathname, title])
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    // What had the focus went with the page before; the first page of all leaves it where the
    // browser begins.
    if (anyPageShown && isFocusLost()) heading.current?.focus({ preventScroll: true })
    anyPageShown = true
  }, [])
  useEffect(() => {
    document.title = [isolated(title), session().settings.LOGIN_TITLE || 'Sallyport'].join(' - ')
  }, [title])
  return (
    <div className="page">
      <header className="page-head">
        <div className="heading">
          {back && (
            <button
              type="button"
              className="icon-button"
              aria-label={t('Back')}
              title={t('Back')}
              onClick={() => navigate(-1)}
            >
              <ChevronLeftIcon />
            </button>
          )}
          <h1 ref={heading} tabIndex={-1} title={title}>
            {kind && title.startsWith(kind) ? (
              <>
                <span className="kind">{kind}</span>
                {title.slice(kind.length)}
              </>
            ) : (
              title
            )}
          </h1>
          {beside}
        </div>
        {actions && <div className="page-actions">{actions}</div>}
      </header>
      {lead && <p className="page-lead">{lead}</p>}
      {children}
    </div>
  )
}

import { Link } from 'react-router'

interface Props {
  title: string
  /** A sentence about what is further there. */
  text: string
  to: string | undefined
  /** The words of the link. */
  link: string
}

/** Below the settings of the first of something: what the others are, and the way to their list. */
export function FurtherPanel({ title, text, to, link }: Props) {
  return (
    <section className="panel">
      <h2>{title}</h2>
      <div className="inside">
        {text}{' '}
        {to && (
          <Link className="in-text" to={to}>
            {link}
          </Link>
        )}
      </div>
    </section>
  )
}

/** What a page that is no resource's is given. */
export interface PageProps {
  /** Route title in the person's language. */
  title: string
}

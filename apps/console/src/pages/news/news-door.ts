/** The messages of the sockets of news, by the contract. Apart from `news.ts`, as no page starts with a parser. */
import { readFrame, withoutCodeAtRunTime } from '@sallyport/contract/socket/message.ts'
import { NEWS, type NewsName, type NewsOn } from '@sallyport/contract/socket/news.ts'

// The page's policy allows no code that is made at run time.
withoutCodeAtRunTime()

export const newsPath = (name: NewsName): string => NEWS[name].path

/** Each reads a message of the server; undefined if it is malformed. */
export const readNews: { readonly [Name in NewsName]: (frame: unknown) => NewsOn<Name> | undefined } = {
  taskLog: (frame) => readFrame(NEWS.taskLog.fromServer, frame),
  commandNews: (frame) => readFrame(NEWS.commandNews.fromServer, frame),
  unreadCount: (frame) => readFrame(NEWS.unreadCount.fromServer, frame),
}

/** Fills the disk of a real database, down to the room that the server had set aside for itself. */
import { setTimeout } from 'node:timers/promises'
import type { SmallDisk } from '../../domains/accounts/rotation/small-disk-fixture.ts'
import type { MariaDbServer } from '../connectors/mysql/mariadb-fixture.ts'
import type { PostgresServer } from '../connectors/postgresql/postgresql-fixture.ts'

/**
 * The log of changes is at the end of a piece, and no other has been set aside: the next change
 * needs a new one.
 */
export async function fillUnderPostgres({ sql }: Pick<PostgresServer, 'sql'>, disk: SmallDisk): Promise<undefined> {
  const spare = 'SELECT 1 FROM pg_ls_waldir() WHERE name > pg_walfile_name(pg_current_wal_lsn())'
  do await sql("SELECT pg_logical_emit_message(false, '', ''), pg_switch_wal()")
  while ((await sql(spare)).length)
  disk.fill()
}

/**
 * Others change what they can, until the server waits for somebody to free space: so does the next change. It looks for
 * room once a minute; killed before, it can leave a log that no start of it can read.
 */
export async function fillUnderMariaDb(server: MariaDbServer, disk: SmallDisk): Promise<() => Promise<void>> {
  await server.sql("CREATE USER IF NOT EXISTS other@'%'")
  const before = server.errors().length
  disk.fill()
  const isFull = () => server.errors().slice(before).includes('Disk is full')
  for (;;) {
    let isDone = false
    const other = server.sql("ALTER USER other@'%' IDENTIFIED BY 'Other-word-1'").then(
      () => {},
      () => {},
    )
    void other.then(() => {
      isDone = true
    })
    while (!isDone && !isFull()) await setTimeout(20)
    if (isFull()) return () => other
  }
}

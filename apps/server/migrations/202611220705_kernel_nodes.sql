-- Nodes of this installation: where each is reached by the others, and by which certificate they know it (kernel/nodes/). The key of the
-- certificate never leaves its process. Without a sign of life a node has ended.
CREATE TABLE kernel_node (
  -- kept in the node's data directory
  id uuid PRIMARY KEY,
  name text NOT NULL,
  roles text[] NOT NULL,
  -- of its sessions; none for a node that carries none
  terminal uuid,
  address text,
  port integer,
  certificate text,
  is_running boolean NOT NULL DEFAULT true,
  date_seen timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX kernel_node__name__unique ON kernel_node (name);
CREATE UNIQUE INDEX kernel_node__terminal__unique ON kernel_node (terminal);

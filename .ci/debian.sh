#!/usr/bin/env bash
# Install the Debian packages that are named.
set -euo pipefail
# PostgreSQL: the tests start a server of their own.
mkdir -p /etc/postgresql-common
[ -e /etc/postgresql-common/createcluster.conf ] || echo 'create_main_cluster = false' >/etc/postgresql-common/createcluster.conf
apt-get update -qq
DEBIAN_FRONTEND=noninteractive apt-get install -y -qq "$@" >/dev/null

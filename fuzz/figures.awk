# One line of figures from what libFuzzer says at the end of a run.
/^stat::number_of_executed_units/ { executions = $2 }
/^stat::average_exec_per_sec/ { rate = $2 }
/^stat::peak_rss_mb/ { peak = $2 }
/^Done [0-9]+ runs in/ { seconds = $5 }
/Test unit written to/ { crashes++ }
END {
    if (seconds == "") seconds = rate > 0 ? int(executions / rate) : 0
    printf "%-10s %10d executions %6d s %5d MB peak %3d crashes\n", name, executions, seconds, peak, crashes
}
